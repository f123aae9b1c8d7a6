import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { readStream } from '../../bench/daemon/read-stream.ts'
import { createWorld, type Fault } from './world.ts'

const WRITERS = 2
const ROWS_PER_SECOND = 200
const SAMPLES = 20
/** A heap of this size more is the engine's choice, not a leak. */
const SPARE_MB = 64
const SPARE_DESCRIPTORS = 8
const PATIENCE_MS = 60_000
const POLL_MS = 50

const announced = z.object({ address: z.string(), pid: z.int() })

/**
 * Appends rows at a steady rate while the daemon follows them and a client streams them. Every row
 * must arrive once, and the daemon's memory and descriptors must not grow.
 */
export const soakRows = async (seconds: number): Promise<string[]> => {
  const world = createWorld()
  const ended = new AbortController()
  try {
    const started = await world.start(['daemon', '--port', '0', '--json'])
    const { address, pid } = announced.parse(started.announced)
    const seen = new Map<string, number>()
    const streaming = readStream(address, ended.signal, ({ writer, row }) => {
      const name = `${writer}:${row}`
      seen.set(name, (seen.get(name) ?? 0) + 1)
    })
    const script = join(import.meta.dirname, '../../bench/daemon/append-rows.ts')
    const writers = Array.from({ length: WRITERS }, (_, writer) => {
      const args = [script, world.home, String(writer), String(ROWS_PER_SECOND / WRITERS)]
      return spawn(process.execPath, [...args, String(seconds)], { stdio: 'inherit' })
    })
    const written = Promise.all(writers.map((writer) => once(writer, 'exit')))
    const samples: Array<{ megabytes: number; descriptors: number }> = []
    for (let sample = 0; sample < SAMPLES; sample++) {
      await delay((seconds * 1000) / SAMPLES)
      samples.push(measureProcess(pid))
    }
    await written
    const total = ROWS_PER_SECOND * seconds
    const deadline = performance.now() + PATIENCE_MS
    while (seen.size < total && performance.now() < deadline) await delay(POLL_MS)
    ended.abort()
    await streaming
    await started.kill()
    const [, early] = samples
    const last = samples.at(-1)
    if (early === undefined || last === undefined) throw new Error('no samples were taken')
    console.log(
      `   ${total} rows in ${seconds} s: ${early.megabytes.toFixed(0)} MB and ${early.descriptors} descriptors at first, ${last.megabytes.toFixed(0)} MB and ${last.descriptors} at last`,
    )
    const doubled = [...seen.values()].filter((count) => count > 1).length
    const stored = countStored(world.home)
    return [
      ...(seen.size === total ? [] : [`the stream got ${seen.size} of ${total} rows`]),
      ...(doubled === 0 ? [] : [`the stream got ${doubled} rows twice`]),
      ...(stored === total ? [] : [`${stored} of ${total} rows are on disk`]),
      ...(last.megabytes <= early.megabytes + SPARE_MB
        ? []
        : [
            `the daemon grew from ${early.megabytes.toFixed(0)} to ${last.megabytes.toFixed(0)} MB`,
          ]),
      ...(last.descriptors <= early.descriptors + SPARE_DESCRIPTORS
        ? []
        : [`the daemon went from ${early.descriptors} to ${last.descriptors} descriptors`]),
    ]
  } finally {
    ended.abort()
    world.remove()
  }
}

/** A few seconds of it; `npm run chaos` does it for ten minutes. */
export const appendRows: Fault = () => soakRows(5)

const measureProcess = (pid: number): { megabytes: number; descriptors: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    megabytes: Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1]) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

const countStored = (home: string): number => {
  const folder = join(home, 'MEMORY/OBSERVABILITY')
  const rows = readdirSync(folder)
    .filter((name) => name.startsWith('tool-activity'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .flatMap((line) => /"tool_use_id":"(\d+:\d+)"/.exec(line)?.[1] ?? [])
  return new Set(rows).size
}
