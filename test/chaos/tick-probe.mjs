/**
 * Measures how long the main thread computes without answering, in processor time, which other load
 * on the machine does not change. SIGUSR2 writes the longest time so far to a file and starts again.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const LOOK_EVERY_MS = 5

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

if (isMainThread) {
  let last = cpuMs()
  let longest = 0
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  setInterval(look, LOOK_EVERY_MS).unref()
  process.on('SIGUSR2', () => {
    look()
    appendFileSync(process.env.CHAOS_TICK_FILE, `${longest}\n`)
    longest = 0
  })
}
