export {
  createQueue,
  type Queue,
  type QueueCounts,
  type QueueOptions,
  type ReceivedMessage,
  type RetryOutcome,
} from './queue.ts'
export { QUEUE_MIGRATIONS } from './schema.ts'
