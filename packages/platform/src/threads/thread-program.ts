/** What a thread and its owner send each other. */
export interface SentJob {
  number: number
  job: unknown
}

export type SentAnswer =
  | { type: 'ready' }
  | { type: 'done'; number: number; value: unknown }
  | { type: 'failed'; number: number; reason: string }

/**
 * Runs inside a thread: loads the module of `workerData` and gives each job to its `read`. It is text
 * because a bundle has no file for it. The owner adds the subject to the reason of an error.
 */
export const THREAD_PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  const reasonIn = (thrown) => String(thrown?.details?.reason ?? thrown?.message ?? thrown)
  import(workerData).then(({ read }) => {
    parentPort.on('message', async ({ number, job }) => {
      try {
        parentPort.postMessage({ type: 'done', number, value: await read(job) })
      } catch (thrown) {
        parentPort.postMessage({ type: 'failed', number, reason: reasonIn(thrown) })
      }
    })
    parentPort.postMessage({ type: 'ready' })
  })
`
