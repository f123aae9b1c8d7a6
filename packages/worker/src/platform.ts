import type { Fetch } from '@steward/contract'
import type { WorkerEnv } from './env.ts'

/** What a worker needs of the runtime it is in. Handed in by tests. */
export interface WorkerPorts {
  /** Milliseconds since the epoch. On the platform it stands still while code computes. */
  now: () => number
  /** The platform's own, without any guard. */
  fetch: Fetch
  /** Calls back once after a delay; what it returns takes that back. */
  startTimer: (delayMs: number, onElapsed: () => void) => () => void
  log: (line: string) => void
}

export const PLATFORM_PORTS: WorkerPorts = {
  now: () => Date.now(),
  // Called as a method of something else, the platform's fetch refuses.
  fetch: (input, init) => fetch(input, init),
  startTimer: (delayMs, onElapsed) => {
    const timer = setTimeout(onElapsed, delayMs)
    return () => clearTimeout(timer)
  },
  log: (line) => console.log(line),
}

/** What the platform hands a handler besides the request. */
export interface WorkerContext {
  /** Keeps the invocation alive after its answer, for 30 seconds on the platform. */
  waitUntil: (work: Promise<unknown>) => void
}

export type FetchHandler = (
  request: Request,
  env: WorkerEnv,
  context: WorkerContext,
) => Promise<Response>

/** A new run's id: a UUID of version 7, so that ids sort by the time they were made. */
export const newRunId = (nowMs: number): string => {
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
