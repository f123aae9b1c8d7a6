import { type Fetch, LIMITS } from '@steward/contract'
import { createModelClient } from '../create-model-client.ts'
import type { ModelClientPorts } from '../model-client.ts'
import { DEFAULT_MODELS } from '../providers/model-table.ts'
import type { VendorStandIn } from './stand-in-server.ts'

export const TEST_KEY = 'sk-test-0123456789'
const NOW = new Date('2026-11-15T00:00:00Z')

/**
 * A client of a stand-in with a stopped clock: delays are recorded and end immediately, while the
 * timeout of a call elapses only when `expire` is called.
 */
export const createTestClient = (
  standIn: VendorStandIn,
  provider: 'anthropic' | 'openai' | 'ollama' = 'anthropic',
  overrides: Partial<ModelClientPorts> = {},
) => {
  const waitsMs: number[] = []
  let expire: (() => void) | undefined
  const sleep: ModelClientPorts['sleep'] = (ms) => {
    if (ms === LIMITS.llmTimeoutMs) return new Promise<void>((resolve) => (expire = resolve))
    waitsMs.push(ms)
    return Promise.resolve()
  }
  const plainFetch: Fetch = (input, init) => fetch(input, init)
  const client = createModelClient({
    choice: {
      provider,
      apiKey: TEST_KEY,
      baseUrl: `${standIn.url}/v1`,
      models: DEFAULT_MODELS[provider === 'anthropic' ? 'anthropic' : 'openai'],
      reason: 'a test',
    },
    fetch: plainFetch,
    sleep,
    now: () => NOW,
    ...overrides,
  })
  return { client, waitsMs, expire: () => expire?.() }
}
