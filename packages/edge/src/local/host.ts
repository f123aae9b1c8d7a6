import type { LeasedMessage } from './queue-store.ts'
import type { QueueOutcome } from './settle-batch.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** One workerd process with a set of workers in it. */
export interface Host {
  directories: readonly WorkerDirectory[]
  /** The address of an isolate worker; it changes when the process is restarted. */
  addressOf(worker: string): Promise<URL>
  runScheduled(worker: string, cron: string, scheduledTimeMs: number): Promise<string>
  deliverBatch(
    worker: string,
    queue: string,
    messages: readonly LeasedMessage[],
  ): Promise<QueueOutcome>
  dispose(): Promise<void>
}
