import type { Fetch } from '@steward/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { startVendorStandIn, type VendorStandIn } from '../testing/vendor-stand-in.ts'
import { chooseProvider } from './choose-provider.ts'
import type { ModelEnvironment } from './environment.ts'

let standIn: VendorStandIn | undefined
afterEach(async () => {
  await standIn?.close()
  standIn = undefined
})

/** Ollama's port is fixed, so the stand-in is reached through the fetch port. */
const redirect =
  (asked: string[] = []): Fetch =>
  (input, init) => {
    asked.push(String(input))
    const target = String(input).replace('http://127.0.0.1:11434', standIn?.url ?? 'http://[::1]:1')
    return fetch(target, init)
  }

const choose = async (environment: Partial<ModelEnvironment>, port: Fetch = redirect()) => {
  const result = await chooseProvider({ models: {}, ...environment }, { fetch: port })
  return result.ok ? result.value : result.error.message
}

describe('chooseProvider', () => {
  it('chooses Anthropic for a key alone', async () => {
    expect(await choose({ apiKey: 'k', models: { deep: 'mine' } })).toEqual({
      provider: 'anthropic',
      apiKey: 'k',
      baseUrl: 'https://api.anthropic.com/v1',
      models: { fast: 'claude-haiku-5-5', standard: 'claude-sonnet-5-5', deep: 'mine' },
      reason: 'LLM_API_KEY is set',
    })
  })

  it('chooses an OpenAI-compatible server for an address, with or without a key', async () => {
    const choice = await choose({ baseUrl: 'http://127.0.0.1:9' })
    expect(choice).toMatchObject({
      provider: 'openai',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: { fast: 'gpt-6-luna' },
      modelsGuessed: true,
    })
    expect(choice).not.toHaveProperty('apiKey')
    const models = { fast: 'a', standard: 'b', deep: 'c' }
    const named = await choose({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', models })
    expect(named).toMatchObject({ provider: 'openai', apiKey: 'k', models })
    expect(named).not.toHaveProperty('modelsGuessed')
  })

  it('recognises the address of Anthropic', async () => {
    expect(await choose({ baseUrl: 'https://api.anthropic.com', apiKey: 'k' })).toMatchObject({
      provider: 'anthropic',
    })
  })

  it('detects an Ollama with a model, and ignores one with only embedding models', async () => {
    standIn = await startVendorStandIn({ models: ['nomic-embed-text:latest', 'qwen3:8b'] })
    expect(await choose({})).toEqual({
      provider: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      models: { fast: 'qwen3:8b', standard: 'qwen3:8b', deep: 'qwen3:8b' },
      reason: 'Ollama runs on this machine',
    })
    await standIn.close()
    standIn = await startVendorStandIn({ models: ['nomic-embed-text:latest'] })
    expect(await choose({})).toMatchObject({ provider: 'offline' })
  })

  it('is offline without configuration, and says why', async () => {
    expect(await choose({})).toMatchObject({
      provider: 'offline',
      models: { fast: 'offline-extractive' },
      reason: expect.stringContaining('no LLM_API_KEY'),
    })
  })

  it('LLM_PROVIDER overrides everything, and offline makes no request', async () => {
    const asked: string[] = []
    const port = redirect(asked)
    expect(await choose({ provider: 'offline', apiKey: 'k' }, port)).toMatchObject({
      provider: 'offline',
    })
    expect(
      await choose({ provider: 'anthropic', apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }, port),
    ).toMatchObject({ provider: 'anthropic', baseUrl: 'http://127.0.0.1:9/v1' })
    expect(asked).toEqual([])
  })

  it.each([
    [{ provider: 'anthropic' }, /anthropic is not configured: LLM_API_KEY/],
    [{ provider: 'openai' }, /openai is not configured: LLM_API_KEY/],
    [{ provider: 'ollama' }, /no Ollama responds at http:\/\/127\.0\.0\.1:11434/],
  ] as const)('reports what %j lacks', async (environment, message) => {
    expect(await choose(environment)).toMatch(message)
  })

  it('reports an Ollama without models', async () => {
    standIn = await startVendorStandIn({ models: [] })
    expect(await choose({ provider: 'ollama', baseUrl: standIn.url })).toMatch(/ollama pull/)
  })
})
