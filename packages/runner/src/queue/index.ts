export {
  createQueue,
  type Queue,
  type QueueCounts,
  type QueueOptions,
  type ReceivedMessage,
  type RetryOutcome,
} from './queue.ts'
export {
  createQueueInventory,
  type QueueBacklog,
  type QueueInventory,
  type QueueStock,
  type StoredMessage,
} from './queue-inventory.ts'
export { QUEUE_MIGRATIONS } from './schema.ts'
