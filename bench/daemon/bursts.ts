import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startDaemonProcess } from './daemon-process.ts'
import { percentile } from './median.ts'
import { readStream, type StreamedRow } from './read-stream.ts'

const WRITERS = 8
const ROWS_PER_SECOND = 250
const SECONDS = 60
const CLIENTS = 3
const QUIET_SECONDS = 10
const QUIET_ROWS_PER_SECOND = 5
/** The longest wait of stream clients, at the 99th percentile. */
const AIM_MS = 500

/**
 * 2,000 events per second by eight processes for a minute: what stream clients receive, and how
 * late.
 */
export const benchBursts = async (home: string, print: (line: string) => void): Promise<void> => {
  mkdirSync(home, { recursive: true })
  const daemon = await startDaemonProcess(home)
  const ended = new AbortController()
  const seen: StreamedRow[][] = Array.from({ length: CLIENTS }, () => [])
  const clients = seen.map((rows) =>
    readStream(daemon.address, ended.signal, (row) => rows.push(row)),
  )
  try {
    await write(home, ['quiet'], QUIET_ROWS_PER_SECOND, QUIET_SECONDS)
    const quiet = await settled(seen, QUIET_ROWS_PER_SECOND * QUIET_SECONDS)
    for (const rows of seen) rows.length = 0
    const writers = Array.from({ length: WRITERS }, (_, writer) => String(writer))
    await write(home, writers, ROWS_PER_SECOND, SECONDS)
    const total = WRITERS * ROWS_PER_SECOND * SECONDS
    const busy = await settled(seen, total)
    const quietMs = percentile(quiet, 0.99)
    const busyMs = percentile(busy, 0.99)
    print(
      `${WRITERS * ROWS_PER_SECOND} events a second by ${WRITERS} processes for ${SECONDS} s, ${CLIENTS} stream clients`,
    )
    for (const rows of seen) print(`  ${describe(rows, total)}`)
    print(
      `  p99 from append to client  ${quietMs.toFixed(0)} ms at ${QUIET_ROWS_PER_SECOND}/s, ${busyMs.toFixed(0)} ms busy  ${(busyMs / quietMs).toFixed(2)}x; ${(busyMs / AIM_MS).toFixed(2)} of the ${AIM_MS} ms aimed at`,
    )
  } finally {
    ended.abort()
    await Promise.all(clients)
    await daemon.stop()
  }
}

const write = async (
  home: string,
  writers: readonly string[],
  rate: number,
  seconds: number,
): Promise<void> => {
  const script = join(import.meta.dirname, 'append-rows.ts')
  const children = writers.map((writer) =>
    spawn(process.execPath, [script, home, writer, String(rate), String(seconds)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  await Promise.all(children.map((child) => once(child, 'exit')))
}

/** Waits until every client has all rows, or no more arrive. */
const settled = async (seen: readonly StreamedRow[][], total: number): Promise<number[]> => {
  for (let idle = 0, before = -1; idle < 50; ) {
    const count = seen.reduce((sum, rows) => sum + rows.length, 0)
    if (seen.every((rows) => rows.length >= total)) break
    idle = count === before ? idle + 1 : 0
    before = count
    await wait(100)
  }
  return seen.flat().map(({ delayMs }) => delayMs)
}

const describe = (rows: readonly StreamedRow[], total: number): string => {
  const last = new Map<string, number>()
  let disordered = 0
  for (const { writer, row } of rows) {
    if (row <= (last.get(writer) ?? -1)) disordered += 1
    last.set(writer, row)
  }
  const unique = new Set(rows.map(({ writer, row }) => `${writer}:${row}`)).size
  return `a client got ${unique} of ${total}, ${rows.length - unique} doubled, ${disordered} out of order`
}
