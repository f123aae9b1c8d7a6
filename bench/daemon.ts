import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchBursts } from './daemon/bursts.ts'
import { type RunningDaemon, startDaemonProcess } from './daemon/daemon-process.ts'
import { median } from './daemon/median.ts'
import { benchWorkState } from './daemon/work-state.ts'

type Print = (line: string) => void

const LINES = 1_000_000
const ROUNDS = 5
const CALLS = 300

/**
 * The daemon with a million rows on disk compared with an empty log; writers of work state; bursts
 * of events.
 */
export const benchDaemon = async (print: Print): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  try {
    await benchLogSize(directory, print)
    await benchWorkState(join(directory, 'work'), print)
    await benchBursts(join(directory, 'bursts'), print)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Measured {
  startMs: number
  callMs: number
  residentMb: number
  readMb: number
}

const benchLogSize = async (directory: string, print: Print): Promise<void> => {
  const empty = join(directory, 'empty')
  const large = join(directory, 'large')
  const megabytes = await writeToolActivity(large, LINES)
  await writeToolActivity(empty, 0)
  print(
    `daemon with ${LINES} tool-activity lines (${megabytes.toFixed(0)} MB) against none, median of ${ROUNDS}`,
  )
  const measured: { none: Measured[]; many: Measured[] } = { none: [], many: [] }
  // Alternating, so that other load on the machine affects both equally. The first pair fills
  // caches.
  for (let round = 0; round <= ROUNDS; round++) {
    const none = await measure(empty, 0)
    const many = await measure(large, 100)
    if (round === 0) continue
    measured.none.push(none)
    measured.many.push(many)
  }
  const rows: Array<[string, keyof Measured, string]> = [
    ['start to first correct answer', 'startMs', 'ms'],
    ['GET /api/events/recent, p50', 'callMs', 'ms'],
    ['resident memory', 'residentMb', 'MB'],
    ['read from files and pipes', 'readMb', 'MB'],
  ]
  for (const [label, key, unit] of rows) {
    const few = median(measured.none.map((each) => each[key]))
    const many = median(measured.many.map((each) => each[key]))
    const numbers = [few, many].map((value) => `${value.toFixed(2).padStart(9)} ${unit}`).join('')
    print(`  ${label.padEnd(30)}${numbers}  ${(many / few).toFixed(2)}x`)
  }
}

/** Rows like those of the hooks, over 400 bytes each. */
const writeToolActivity = async (home: string, lines: number): Promise<number> => {
  const folder = join(home, 'MEMORY', 'OBSERVABILITY')
  mkdirSync(folder, { recursive: true })
  const file = createWriteStream(join(folder, 'tool-activity.jsonl'))
  const firstAt = Date.UTC(2026, 0, 1)
  const preview = 'cat packages/contract/src/index.ts && git status --short '.repeat(4)
  let bytes = 0
  for (let line = 0; line < lines; ) {
    const rows: string[] = []
    for (const end = Math.min(lines, line + 5000); line < end; line++) {
      rows.push(
        `${JSON.stringify({
          timestamp: new Date(firstAt + line * 20).toISOString(),
          event: 'tool_use',
          source: 'tool-activity',
          type: 'tool_use',
          session_id: `6f9619ff-8b86-d011-b42d-00c04fc9${line % 100}`,
          tool_name: 'Bash',
          tool_input_preview: preview,
          tool_use_id: `toolu_${line}`,
        })}\n`,
      )
    }
    const chunk = rows.join('')
    bytes += chunk.length
    if (!file.write(chunk)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return bytes / 1e6
}

const measure = async (home: string, expected: number): Promise<Measured> => {
  const startedAt = performance.now()
  const daemon = await startDaemonProcess(home)
  try {
    if ((await countRecent(daemon)) !== expected) throw new Error('the first answer is not correct')
    const startMs = performance.now() - startedAt
    const calls: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const at = performance.now()
      await countRecent(daemon)
      calls.push(performance.now() - at)
    }
    return { startMs, callMs: median(calls), ...readProcess(daemon.pid) }
  } finally {
    await daemon.stop()
  }
}

const countRecent = async ({ address }: RunningDaemon): Promise<number> => {
  const answer: unknown = await (await fetch(`${address}/api/events/recent`)).json()
  if (typeof answer !== 'object' || answer === null || !('events' in answer)) return -1
  return Array.isArray(answer.events) ? answer.events.length : -1
}

const readProcess = (pid: number): Pick<Measured, 'residentMb' | 'readMb'> => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const io = readFileSync(`/proc/${pid}/io`, 'utf8')
  return {
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024,
    readMb: Number(/rchar: (\d+)/.exec(io)?.[1] ?? Number.NaN) / 1e6,
  }
}

if (import.meta.main) await benchDaemon(console.log)
