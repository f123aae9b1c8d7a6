import type { KvNamespace } from '../bindings.ts'

export interface PendingCall {
  key: string
  body: string
}

/**
 * Bodies of webhooks that were accepted and are not worked through yet. They are kept before the
 * caller is told so, and until all of their items are settled: what is acknowledged is not lost when
 * the invocation is cut short.
 */
export interface PendingCalls {
  keep: (runId: string, body: string) => Promise<PendingCall>
  /** All that wait, the oldest first. */
  list: () => Promise<PendingCall[]>
  drop: (call: PendingCall) => Promise<void>
}

export const createPendingCalls = (kv: KvNamespace, flowId: string): PendingCalls => {
  const prefix = `webhook:${flowId}:`
  return {
    keep: async (runId, body) => {
      const key = `${prefix}${runId}`
      await kv.put(key, body)
      return { key, body }
    },
    list: async () => {
      // Ids begin with the time, and keys are listed in order.
      const { keys } = await kv.list({ prefix })
      const calls: PendingCall[] = []
      for (const { name } of keys) {
        const body = await kv.get(name)
        if (body !== null) calls.push({ key: name, body })
      }
      return calls
    },
    drop: ({ key }) => kv.delete(key),
  }
}
