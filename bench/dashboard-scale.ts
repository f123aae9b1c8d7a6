import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { z } from 'zod'
import { buildDashboard } from '../scripts/build-dashboard.ts'
import { findMissingBrowser, openBrowser } from '../test/e2e/voice-browser.ts'
import { type RunningDaemon, startDaemonProcess } from './daemon/daemon-process.ts'
import { median } from './daemon/median.ts'
import { describeTasks, watchTasks } from './dashboard/watch-tasks.ts'

type Print = (line: string) => void

const SIZES = [
  // Enough sessions for a full page in both.
  { events: 1000, sessions: 500 },
  { events: 1_000_000, sessions: 20_000 },
] as const
/** As long in both, so that both read and answer the same number of rows. */
const LONG = { session: 11, events: 50 }
const TURNS = 15
const PAGES = ['/today', '/sessions', '/events'] as const
const FILTERS = [
  '/api/events?q=tool:Bash&limit=200',
  '/api/events?q=source:tool-failure&limit=200',
  '/api/sessions?limit=50',
  '/api/sessions?q=harbour&limit=50',
  '/api/sessions?q=wall%2019&limit=50',
  '/api/sessions?q=zz&limit=50',
  '/api/sessions?project=/projects/part-3&limit=50',
  '/api/sessions?host=claude&limit=50',
  '/api/sessions?group=done&limit=50',
  '/api/events?q=session:session-00011&limit=200',
  '/api/activity?hours=48',
] as const
/** What the issue asks for. */
const MOST_RATIO = 1.5
const LIMIT_MS = 240_000
/** Until the browser has ended its work on the page before: the limit of tasks is for quiet cores. */
const QUIET_MS = 700
const SPAN_MS = 30 * 86_400_000

/**
 * Pages and filters with a thousand and with a million events, in a real browser. Both daemons are
 * asked in turn, so that other load of the machine slows both.
 */
export const benchDashboardScale = async (print: Print): Promise<void> => {
  const missing = findMissingBrowser()
  if (missing !== undefined) return print(`skipped: ${missing}`)
  await buildDashboard()
  const places: Place[] = []
  const browser = await openBrowser()
  try {
    for (const size of SIZES) places.push(await openPlace(size, print))
    const rows = [
      ...(await measurePages(browser, places, print)),
      ...(await measureFilters(places)),
    ]
    for (const { what, medians } of rows) print(describe(what, medians))
  } finally {
    await browser.close()
    for (const { daemon, home } of places) {
      await daemon.stop()
      rmSync(home, { recursive: true, force: true })
    }
  }
}

interface Place {
  home: string
  daemon: RunningDaemon
}

interface Measured {
  what: string
  /** In the order of the sizes. */
  medians: number[]
}

const describe = (what: string, [small = Number.NaN, large = Number.NaN]: number[]): string => {
  const ratio = large / small
  const verdict = ratio <= MOST_RATIO ? '' : `, more than ${MOST_RATIO}x`
  const times = `${small.toFixed(1)} ms, ${large.toFixed(1)} ms`
  return `  ${what.padEnd(50)} ${times} (${ratio.toFixed(2)}x${verdict})`
}

const openPlace = async (size: (typeof SIZES)[number], print: Print): Promise<Place> => {
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  const logs = { maxBytes: 1e9, files: 10, maxAgeDays: 365 }
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ observability: { logs } }))
  await writeEvents(home, size)
  const daemon = await startDaemonProcess(home)
  const startedAt = performance.now()
  await waitForIndex(daemon, size.events)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  print(`${size.events} events of ${size.sessions} sessions, indexed ${seconds} s after the start`)
  return { home, daemon }
}

/** Asks each place in turn. */
const measureInTurn = async (
  what: string,
  places: readonly Place[],
  measure: (daemon: RunningDaemon) => Promise<number>,
): Promise<Measured> => {
  const times = places.map((): number[] => [])
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, { daemon }] of places.entries()) times[at]?.push(await measure(daemon))
  }
  return { what, medians: times.map(median) }
}

const page = z.object({ total: z.int() })

const waitForIndex = async ({ address }: RunningDaemon, events: number): Promise<void> => {
  const deadline = performance.now() + LIMIT_MS
  while (performance.now() < deadline) {
    const answer = await fetch(`${address}/api/events?limit=1`)
    if (answer.ok && page.parse(await answer.json()).total >= events) return
    await sleep(250)
  }
  throw new Error(`the history was not indexed within ${LIMIT_MS / 1000} s`)
}

/** From the request to the first view without placeholders, and the longest task of all loads. */
const measurePages = async (
  browser: Browser,
  places: readonly Place[],
  print: Print,
): Promise<Measured[]> => {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const tasks = await watchTasks(tab)
  const found: Measured[] = []
  for (const path of PAGES) {
    found.push(
      await measureInTurn(`${path} shown`, places, async ({ address }) => {
        await sleep(QUIET_MS)
        const startedAt = performance.now()
        await tab.goto(`${address}${path}`, { waitUntil: 'commit' })
        await tab.waitForFunction(
          () =>
            document.querySelector('main h1') !== null &&
            document.querySelector('.skeleton') === null,
        )
        return performance.now() - startedAt
      }),
    )
  }
  print(`  longest task while pages load: ${describeTasks(await tasks.end())}`)
  await tab.close()
  return found
}

const measureFilters = async (places: readonly Place[]): Promise<Measured[]> => {
  const found: Measured[] = []
  for (const path of FILTERS) {
    found.push(
      await measureInTurn(`GET ${path}`, places, async ({ address }) => {
        const startedAt = performance.now()
        const answer = await fetch(`${address}${path}`)
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
        return performance.now() - startedAt
      }),
    )
  }
  return found
}

const sessionOf = (row: number, { events, sessions }: (typeof SIZES)[number]): number => {
  const each = (events - LONG.events) / (sessions - 1)
  const before = Math.ceil(each * LONG.session)
  if (row < before) return Math.floor(row / each)
  if (row < before + LONG.events) return LONG.session
  return LONG.session + 1 + Math.floor((row - before - LONG.events) / each)
}

const writeEvents = async (home: string, size: (typeof SIZES)[number]): Promise<void> => {
  const { events } = size
  const path = join(home, 'MEMORY/OBSERVABILITY/tool-activity.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const file = createWriteStream(path)
  const endMs = Date.now()
  for (let row = 0; row < events; ) {
    const lines: string[] = []
    for (const end = Math.min(events, row + 5000); row < end; row++) {
      const session = sessionOf(row, size)
      const isPrompt = row === 0 || sessionOf(row - 1, size) !== session
      const event = {
        timestamp: new Date(endMs - SPAN_MS * (1 - row / events)).toISOString(),
        session_id: `session-${String(session).padStart(5, '0')}`,
        host: 'claude',
        cwd: `/projects/part-${session % 12}`,
        ...(isPrompt
          ? { type: 'user_prompt', prompt: `Build wall ${session} of the harbour` }
          : {
              type: 'tool_use',
              tool_name: row % 3 === 0 ? 'Bash' : 'Read',
              tool_use_id: `call-${row}`,
              tool_input_preview: `step ${row} of the build`,
              duration_ms: row % 900,
            }),
      }
      lines.push(`${JSON.stringify(event)}\n`)
    }
    if (!file.write(lines.join(''))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
