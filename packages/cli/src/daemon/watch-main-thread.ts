import { Worker } from 'node:worker_threads'

export interface MainThreadWatch {
  /** How often the main thread shows that it goes on. */
  beatMs: number
  /** So many times in a row without a beat, and the process is ended. */
  mostMissed: number
}

/** Longer than any work that is done in one go, shorter than supervisors wait after SIGTERM. */
const WATCH: MainThreadWatch = { beatMs: 4000, mostMissed: 4 }

/**
 * A blocked main thread answers nothing and runs no signal handler, so SIGTERM would not end the
 * process. Node delivers signals to that thread alone; so a second one, which sleeps nearly always,
 * ends a process whose main thread has stood still for too long. It counts its own rounds instead of
 * time, because a suspended process or machine is not a blocked one.
 */
export const watchMainThread = ({ beatMs, mostMissed }: MainThreadWatch = WATCH): void => {
  // Someone at a breakpoint takes their time.
  if (`${process.execArgv} ${process.env.NODE_OPTIONS}`.includes('--inspect')) return
  const beats = new Int32Array(new SharedArrayBuffer(8))
  setInterval(() => Atomics.add(beats, BEAT, 1), beatMs).unref()
  const watcher = new Worker(WATCHER, {
    eval: true,
    workerData: { beats, beatMs, mostMissed },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 12, maxYoungGenerationSizeMb: 1 },
  })
  // The daemon works without its watcher.
  watcher.on('error', () => undefined)
  watcher.unref()
}

const BEAT = 0
const NEVER_CHANGES = 1

const WATCHER = `
const { writeSync } = require('node:fs')
const { workerData: { beats, beatMs, mostMissed } } = require('node:worker_threads')
let last = 0
let missed = 0
while (missed < mostMissed) {
  Atomics.wait(beats, ${NEVER_CHANGES}, 0, beatMs)
  const beat = Atomics.load(beats, ${BEAT})
  missed = beat === last ? missed + 1 : 0
  last = beat
}
try {
  writeSync(2, 'error: the daemon did not respond for more than ' + (beatMs * (mostMissed - 1)) / 1000 + ' s and was ended\\n')
} catch {}
process.kill(process.pid, 'SIGKILL')
`
