/** What a thread and its owner send each other. */
export interface SentDocument<Document> {
  number: number
  document: Document
}

export type SentAnswer<Value, Part = never> =
  | { type: 'ready' }
  | { type: 'part'; number: number; part: Part }
  | { type: 'done'; number: number; value: Value }
  | { type: 'failed'; number: number; reason: string }

/** Gives a part of a result to the owner of the thread; what is transferred is not copied. */
export type SendPart<Part> = (part: Part, transfer: readonly ArrayBuffer[]) => void

/**
 * Runs inside a thread: loads the module of `workerData` and gives each document to its `read`. It is text
 * because a bundle has no file for it. The owner adds the subject to the reason of an error.
 */
export const THREAD_PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  const reasonIn = (thrown) => String(thrown?.details?.reason ?? thrown?.message ?? thrown)
  import(workerData).then(({ read }) => {
    parentPort.on('message', async ({ number, document }) => {
      const send = (part, transfer) =>
        parentPort.postMessage({ type: 'part', number, part }, transfer)
      try {
        parentPort.postMessage({ type: 'done', number, value: await read(document, send) })
      } catch (thrown) {
        parentPort.postMessage({ type: 'failed', number, reason: reasonIn(thrown) })
      }
    })
    parentPort.postMessage({ type: 'ready' })
  })
`
