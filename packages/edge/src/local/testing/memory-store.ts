import type { DeliveryRules, LeasedMessage, QueueStore } from '../queue-store.ts'

export interface Kept extends LeasedMessage {
  queue: string
  dueAtMs: number
  isLeased: boolean
}

/** A queue store in memory, so that tests with thousands of messages write no files. */
export const createMemoryStore = (now: () => number): QueueStore & { kept: Kept[] } => {
  const kept: Kept[] = []
  let sent = 0
  const isReady = (message: Kept, queue: string) =>
    message.queue === queue && !message.isLeased && message.dueAtMs <= now()
  let rules: DeliveryRules = { maxRetries: 0, deadLetterQueue: undefined }
  return {
    kept,
    send: async (queue, messages) => {
      for (const { body, delaySeconds } of messages) {
        const id = `m${sent++}`
        const dueAtMs = now() + delaySeconds * 1000
        kept.push({ id, queue, body, sentAtMs: now(), attempts: 0, dueAtMs, isLeased: false })
      }
    },
    lease: async (queue, max, given) => {
      rules = given
      const batch = kept.filter((each) => isReady(each, queue)).slice(0, max)
      for (const message of batch) {
        message.isLeased = true
        message.attempts += 1
      }
      return batch.map(({ id, body, sentAtMs, attempts }) => ({ id, body, sentAtMs, attempts }))
    },
    settle: async (_, settlements) => {
      const counts = { acked: 0, retried: 0, deadLettered: 0, dropped: 0 }
      for (const settlement of settlements) {
        const index = kept.findIndex(({ id }) => id === settlement.id)
        const message = kept[index]
        if (message === undefined) continue
        message.isLeased = false
        if (settlement.outcome === 'ack') {
          kept.splice(index, 1)
          counts.acked += 1
        } else if (message.attempts <= rules.maxRetries) {
          message.dueAtMs = now() + settlement.delaySeconds * 1000
          counts.retried += 1
        } else {
          message.queue = rules.deadLetterQueue ?? ''
          message.attempts = 0
          counts.deadLettered += 1
        }
      }
      return counts
    },
    backlog: (queue) => {
      const ready = kept.filter((each) => isReady(each, queue))
      const later = kept.filter((each) => each.queue === queue && each.dueAtMs > now())
      const least = (times: number[]) => (times.length === 0 ? undefined : Math.min(...times))
      return {
        ready: ready.length,
        oldestReadyAtMs: least(ready.map(({ dueAtMs }) => dueAtMs)),
        nextDueAtMs: least(later.map(({ dueAtMs }) => dueAtMs)),
      }
    },
  }
}
