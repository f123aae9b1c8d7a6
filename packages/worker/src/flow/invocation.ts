import { type Fetch, LIMITS } from '@steward/contract'
import { createSubrequestBudget, type SubrequestBudget } from '@steward/engine'
import { findKv, type KvNamespace } from '../bindings.ts'
import { createWorkerFetch } from '../capabilities/guarded-fetch.ts'
import { textIn, type WorkerEnv } from '../env.ts'
import { newRunId, type WorkerPorts } from '../platform.ts'

/** One invocation of a flow worker by cron, queue or request, with its counted resources. */
export interface Invocation {
  env: WorkerEnv
  ports: WorkerPorts
  runId: string
  /** The caller gave an idempotency key, so that the run is recorded whatever its result. */
  isKeyed?: true
  /** When it was called, on the caller's clock. */
  startedAt: number
  /** Milliseconds since the epoch, on the caller's clock. */
  now: () => number
  subrequests: SubrequestBudget
  /** Subrequests left for work, without those reserved for the bookkeeping at the end. */
  remaining: () => number
  fetch: Fetch
  /** For addresses that the flow's owner trusts: they may be private. */
  trustedFetch: Fetch
  secret: (name: string) => string | undefined
  kv: (binding: 'SEEN_ITEMS' | 'FLOW_STATE') => KvNamespace
}

/**
 * Subrequests for the flow's state, today's spending and a webhook's pending body, read and written
 * at the end.
 */
const BOOKKEEPING = 10

/** `calledAt` is the caller's time: a cron's scheduled time, otherwise the clock's. */
export const createInvocation = (
  env: WorkerEnv,
  ports: WorkerPorts,
  calledAt: number = ports.now(),
): Invocation => {
  const aheadMs = calledAt - ports.now()
  const now = () => ports.now() + aheadMs
  const subrequests = createSubrequestBudget()
  const counted =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      subrequests.spend()
      return fetch(input, init)
    }
  return {
    env,
    ports,
    runId: newRunId(calledAt),
    startedAt: calledAt,
    now,
    subrequests,
    remaining: () => LIMITS.subrequestsPerRun - BOOKKEEPING - subrequests.used(),
    fetch: counted(createWorkerFetch(env, ports, subrequests)),
    trustedFetch: counted(createWorkerFetch(env, ports, subrequests, { trusted: true })),
    secret: (name) => textIn(env, name),
    kv: (binding) => countKv(findKv(env, binding), subrequests),
  }
}

const countKv = (kv: KvNamespace, { spend }: SubrequestBudget): KvNamespace => {
  function get(key: string): Promise<string | null>
  function get(keys: string[]): Promise<Map<string, string | null>>
  function get(asked: string | string[]): Promise<string | null | Map<string, string | null>> {
    spend()
    return typeof asked === 'string' ? kv.get(asked) : kv.get(asked)
  }
  return {
    get,
    put: async (key, value) => {
      spend()
      await kv.put(key, value)
    },
    delete: async (key) => {
      spend()
      await kv.delete(key)
    },
    list: async (options) => {
      spend()
      return kv.list(options)
    },
  }
}
