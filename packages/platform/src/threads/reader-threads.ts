import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { StewardError } from '@steward/contract'
import { type StartTimer, startSystemTimer } from '../processes/start-timer.ts'
import { QUIET_THREAD } from './quiet-thread.ts'
import { type SentAnswer, type SentDocument, THREAD_PROGRAM } from './thread-program.ts'

/**
 * Reads foreign documents in threads of their own, so that a document that takes too long or too much
 * memory can be refused while this thread goes on answering.
 */
export interface ReaderThreads<Document, Value, Part = never> {
  /**
   * What `read` of the module returned; parts that it sent before are given to `onPart`. Throws
   * `rejected_content` with this subject if it threw, exceeded a limit or ended the thread.
   */
  read: (
    document: Document,
    subject: string,
    signal?: AbortSignal,
    onPart?: (part: Part) => void,
  ) => Promise<Value>
  /** Refuses all documents that are being read or wait, and ends all threads. */
  close: () => void
}

export interface ReaderThreadsOptions {
  /** The path of a module that exports `read`, a function of a document. */
  module: string
  /** For one document, from the moment a loaded thread gets it. */
  limitMs: number
  heapBytes: number
  /** Of the part of the heap for new objects; the usual size if it is not given. */
  youngBytes?: number
  /** Documents read at the same time; the others wait. */
  threads?: number
  startTimer?: StartTimer
  /** Ends threads without work; must not keep the process running. */
  startIdleTimer?: StartTimer
}

type Outcome<Value> = { value: Value } | { thrown: unknown }

interface Job<Document, Value, Part> {
  document: Document
  subject: string
  onPart: ((part: Part) => void) | undefined
  settle: (outcome: Outcome<Value>) => void
}

interface Thread<Document, Value, Part> {
  isFree: () => boolean
  take: (job: Job<Document, Value, Part>) => void
  end: (reason: string) => void
}

const MEBIBYTE = 1024 ** 2
const MOST_THREADS = 4
const IDLE_MS = 30_000

export const createReaderThreads = <Document, Value, Part = never>(
  options: ReaderThreadsOptions,
): ReaderThreads<Document, Value, Part> => {
  const { threads: most = Math.min(availableParallelism(), MOST_THREADS) } = options
  const threads = new Set<Thread<Document, Value, Part>>()
  const waiting: Job<Document, Value, Part>[] = []

  const next = (): void => {
    const [job] = waiting
    if (job === undefined) return
    const free = [...threads].find((each) => each.isFree()) ?? startAnother()
    if (free === undefined) return
    waiting.shift()
    free.take(job)
    next()
  }
  const startAnother = (): Thread<Document, Value, Part> | undefined => {
    if (threads.size >= most) return undefined
    const thread = startThread<Document, Value, Part>(options, next, () => {
      threads.delete(thread)
      next()
    })
    threads.add(thread)
    return thread
  }

  const read: ReaderThreads<Document, Value, Part>['read'] = async (
    document,
    subject,
    signal,
    onPart,
  ) => {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const job: Job<Document, Value, Part> = {
      document,
      subject,
      onPart,
      settle: (outcome) => ('value' in outcome ? resolve(outcome.value) : reject(outcome.thrown)),
    }
    // The thread goes on until the document is read or its time is over; the caller does not wait for it.
    const stop = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    waiting.push(job)
    next()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', stop)
      const place = waiting.indexOf(job)
      if (place !== -1) waiting.splice(place, 1)
    }
  }

  return {
    read,
    close: () => {
      for (const { settle, subject } of waiting.splice(0)) settle(refusal(subject, CLOSED))
      for (const thread of threads) thread.end(CLOSED)
    },
  }
}

const CLOSED = 'the reader was closed'

const refusal = (subject: string, reason: string): { thrown: StewardError } => ({
  thrown: new StewardError('rejected_content', { subject, reason }),
})

/** Does not keep the process running. */
const startUnheldTimer: StartTimer = (delayMs, onElapsed) => {
  const timer = setTimeout(onElapsed, delayMs).unref()
  return () => clearTimeout(timer)
}

const startThread = <Document, Value, Part>(
  {
    module,
    limitMs,
    heapBytes,
    youngBytes,
    startTimer = startSystemTimer,
    startIdleTimer = startUnheldTimer,
  }: ReaderThreadsOptions,
  onFree: () => void,
  onEnded: () => void,
): Thread<Document, Value, Part> => {
  const worker = new Worker(THREAD_PROGRAM, {
    eval: true,
    workerData: pathToFileURL(module).href,
    ...QUIET_THREAD,
    resourceLimits: {
      maxOldGenerationSizeMb: heapBytes / MEBIBYTE,
      ...(youngBytes === undefined ? {} : { maxYoungGenerationSizeMb: youngBytes / MEBIBYTE }),
    },
  })
  let isReady = false
  let isOver = false
  let number = 0
  let current: Job<Document, Value, Part> | undefined
  let cancelLimit = (): void => undefined
  let cancelIdle = (): void => undefined

  const settle = (outcome: Outcome<Value>): void => {
    const job = current
    current = undefined
    cancelLimit()
    job?.settle(outcome)
  }
  const refuse = (reason: string): void => {
    if (current !== undefined) settle(refusal(current.subject, reason))
  }
  const end = (reason: string): void => {
    if (isOver) return
    isOver = true
    cancelIdle()
    refuse(reason)
    void worker.terminate()
    onEnded()
  }
  const begin = (): void => {
    if (current === undefined) return
    number += 1
    const sent: SentDocument<Document> = { number, document: current.document }
    cancelLimit = startTimer(limitMs, () => end(`reading it takes longer than ${limitMs} ms`))
    worker.postMessage(sent)
  }
  const rest = (): void => {
    worker.unref()
    cancelIdle = startIdleTimer(IDLE_MS, () => end(CLOSED))
    onFree()
  }

  worker.on('message', (answer: SentAnswer<Value, Part>) => {
    if (isOver) return
    if (answer.type === 'ready') {
      isReady = true
      begin()
    } else if (current === undefined || answer.number !== number) {
      return
    } else if (answer.type === 'part') {
      current.onPart?.(answer.part)
    } else {
      settle(
        answer.type === 'done' ? { value: answer.value } : refusal(current.subject, answer.reason),
      )
      rest()
    }
  })
  worker.on('error', (thrown) => end(explain(thrown, heapBytes)))
  worker.on('exit', () => end('the parser ended'))

  return {
    isFree: () => current === undefined && !isOver,
    take: (job) => {
      cancelIdle()
      current = job
      worker.ref()
      if (isReady) begin()
    },
    end,
  }
}

const explain = (thrown: unknown, heapBytes: number): string => {
  const isMemory =
    thrown instanceof Error && Reflect.get(thrown, 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory
    ? `reading it takes more than ${heapBytes / MEBIBYTE} MB of memory`
    : `the parser failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`
}
