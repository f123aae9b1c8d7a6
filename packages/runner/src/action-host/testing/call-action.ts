import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ActionContextV2, CapabilitiesV2, Isolation, JsonObject } from '@steward/contract'
import type { TemporaryHome } from '../../../../platform/src/testing/temporary-home.ts'
import type { ActionHosts } from '../action-hosts.ts'

export interface CallOptions {
  input?: JsonObject
  capabilities?: CapabilitiesV2
  signal?: AbortSignal
  log?: ActionContextV2['log']
  onStart?: (isolation: Isolation) => void
  /** Whether it may be sent to a busy host. */
  isEarly?: boolean
}

/** Calls an action of a test's home in a host, with nothing between the two but the pool. */
export const callAction = async (
  hosts: ActionHosts,
  home: Pick<TemporaryHome, 'path'>,
  name: string,
  options: CallOptions = {},
): Promise<unknown> => {
  const file = join(home.path, 'USER/ACTIONS', name, 'action.ts')
  const action = { name, file, hash: readFileSync(file, 'utf8'), network: false }
  const { input = {}, capabilities = {}, log = () => undefined } = options
  const context: ActionContextV2 = {
    capabilities,
    env: { mode: 'local', secrets: [] },
    secret: () => undefined,
    signal: options.signal ?? new AbortController().signal,
    now: () => new Date(0),
    trace: { runId: 'r', step: 0 },
    log,
  }
  const early = options.isEarly ? { input, context } : undefined
  const host = await hosts.acquire(action, options.signal, early)
  options.onStart?.(host.isolation)
  try {
    return await host.call(input, context, (run) => {
      context.signal.addEventListener('abort', () => run(context.signal.reason), { once: true })
    })
  } finally {
    host.release()
  }
}
