import type { Fetch } from '@steward/contract'
import type { WorkerEnv } from './env.ts'

/** What a worker needs from its runtime. Tests pass their own. */
export interface WorkerPorts {
  /** Milliseconds since the epoch. On the platform the clock stands still during computation. */
  now: () => number
  /** The platform's own fetch, unguarded. */
  fetch: Fetch
  /** Calls back once after a delay; the returned function cancels it. */
  startTimer: (delayMs: number, onElapsed: () => void) => () => void
  log: (line: string) => void
}

/** Taken before an action's module finds another one in its place. */
const platformFetch = globalThis.fetch

export const PLATFORM_PORTS: WorkerPorts = {
  now: () => Date.now(),
  // The platform's fetch throws when called as a method of another object.
  fetch: (input, init) => platformFetch(input, init),
  startTimer: (delayMs, onElapsed) => {
    const timer = setTimeout(onElapsed, delayMs)
    return () => clearTimeout(timer)
  },
  log: (line) => console.log(line),
}

/** The context that the platform passes to a handler. */
export interface WorkerContext {
  /** Keeps the invocation alive after its response, for 30 seconds on the platform. */
  waitUntil: (work: Promise<unknown>) => void
}

export type FetchHandler = (
  request: Request,
  env: WorkerEnv,
  context: WorkerContext,
) => Promise<Response>

/** A new run id: a UUID version 7, so that ids sort by creation time. */
export const newRunId = (nowMs: number): string => {
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomTail()}`
}

/** A call of the runtime takes longer than the rest of an id, so one call gets bytes for many ids. */
const random = new Uint16Array(5 * 64)
let used = random.length

/** What follows the version in a UUID: `fff-8fff-ffffffffffff`, 74 random bits. */
const randomTail = (): string => {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  const take = (): number => random[used++] ?? 0
  const first = hex(take() & 0xfff, 3)
  const variant = hex(0x8000 | (take() & 0x3fff), 4)
  return `${first}-${variant}-${hex(take(), 4)}${hex(take(), 4)}${hex(take(), 4)}`
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
