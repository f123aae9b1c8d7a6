import type { KvNamespace } from '../bindings.ts'

export interface PendingCall {
  key: string
  body: string
}

/**
 * Bodies of accepted webhooks that are not completely processed. They are stored before the
 * response and deleted after all their items are settled, so that an acknowledged call survives an
 * interrupted invocation.
 */
export interface PendingCalls {
  keep: (runId: string, body: string) => Promise<PendingCall>
  /** All pending calls, oldest first. */
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
      // Ids begin with the time, and KV lists keys in order.
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
