import type { Fetch } from '@steward/contract'
import type { FeedStore, QueueProducer, SubrequestBudget } from '@steward/engine'

/** Counts what a poll asks of others, as the platform would, so that both stop at the same place. */
export const countSubrequests = <Message>(
  budget: SubrequestBudget,
  ports: { fetch: Fetch; trustedFetch: Fetch; store: FeedStore; queue: QueueProducer<Message> },
): typeof ports => {
  const counted =
    <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      budget.spend()
      return call(...args)
    }
  const { fetch, trustedFetch, store, queue } = ports
  return {
    fetch: counted(fetch),
    trustedFetch: counted(trustedFetch),
    store: { read: counted(store.read), write: counted(store.write) },
    queue: { sendBatch: counted((messages) => queue.sendBatch(messages)) },
  }
}
