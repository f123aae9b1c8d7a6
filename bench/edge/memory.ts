import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** Readings per point: garbage collection is unpredictable, so the lowest counts. */
const MEMORY_READINGS = 10
const MEMORY_READING_EVERY_MS = 300

/** The lowest of several readings: memory in use, without garbage. */
export const settledMemoryOf = async (pid: number | undefined): Promise<number> => {
  const readings: number[] = []
  for (let count = 0; count < MEMORY_READINGS; count++) {
    readings.push(memoryOf(pid))
    await sleep(MEMORY_READING_EVERY_MS)
  }
  return Math.min(...readings)
}

/** Resident memory of the process and its children, in megabytes. */
const memoryOf = (pid: number | undefined): number => {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const kilobytes = lines
    .filter(([own, parent]) => own === pid || parent === pid)
    .reduce((sum, [, , rss = 0]) => sum + rss, 0)
  return Math.round(kilobytes / 1024)
}
