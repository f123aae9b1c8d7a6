import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { z } from 'zod'
import { buildDashboard } from '../scripts/build-dashboard.ts'
import { findMissingBrowser, openBrowser } from '../test/e2e/voice-browser.ts'
import { type RunningDaemon, startDaemonProcess } from './daemon/daemon-process.ts'
import { describeTasks, watchTasks } from './dashboard/watch-tasks.ts'

type Print = (line: string) => void

const ROWS = 10_000
const SESSIONS = 200
/** One hour of ten busy assistants. */
const STREAMED = 36_000
const BATCH = 200

/** The dashboard with a full page of events and many sessions, in a real browser. */
export const benchDashboard = async (print: Print): Promise<void> => {
  const missing = findMissingBrowser()
  if (missing !== undefined) return print(`skipped: ${missing}`)
  await buildDashboard()
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  writeSessions(home)
  const log = join(home, 'MEMORY/OBSERVABILITY/tool-activity.jsonl')
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, '')
  const daemon = await startDaemonProcess(home)
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.addInitScript(watchInputs)
    print(`the dashboard with ${ROWS} events and ${SESSIONS} sessions`)
    await measureEvents(page, daemon, log, print)
    await measurePages(page, daemon, print)
  } finally {
    await browser.close()
    await daemon.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

const measureEvents = async (
  page: Page,
  { address }: RunningDaemon,
  log: string,
  print: Print,
): Promise<void> => {
  await page.goto(`${address}/events`)
  await page.getByText('Live', { exact: true }).waitFor()
  await stream(page, log, 0, ROWS)
  await page.getByText('10K rows shown', { exact: false }).waitFor()

  const measured = (act: () => Promise<void>) => measure(page, act)
  const list = page.getByRole('region', { name: 'Events, newest first' })
  const scroll = async (): Promise<void> => {
    await list.hover()
    for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, 2000)
    await list.focus()
    for (let turn = 0; turn < 10; turn++) await page.keyboard.press('PageDown')
  }
  print(`  scrolling                 ${await measured(scroll)}`)
  const type = () => page.getByLabel('Filter').pressSequentially('tool:Bash -session:s7 build')
  print(`  typing a filter           ${await measured(type)}`)
  await page.getByLabel('Filter').fill('')

  const devtools = await page.context().newCDPSession(page)
  const [start, half] = [await heapOf(devtools), STREAMED / 2]
  const first = await measured(() => stream(page, log, ROWS, half))
  const middle = await heapOf(devtools)
  await stream(page, log, ROWS + half, half)
  const end = await heapOf(devtools)
  print(`  while ${half} events came in ${first}`)
  const ratio = (bytes: number) => `${(bytes / start).toFixed(2)}x`
  print(
    `  heap after collection     ${(start / 1e6).toFixed(1)} MB with ${ROWS} rows, half way ${ratio(middle)}, at the end ${ratio(end)}`,
  )
}

const measurePages = async (page: Page, daemon: RunningDaemon, print: Print): Promise<void> => {
  const open = async (): Promise<void> => {
    await page.goto(`${daemon.address}/agents`)
    await page.locator('article').first().waitFor()
  }
  print(`  ${SESSIONS} sessions, first shown ${await measure(page, open)}`)
  const visit = async (): Promise<void> => {
    const links = await page.getByRole('navigation').getByRole('link').all()
    for (const link of [...links, ...links.slice(0, 1)]) {
      await link.click()
      await page.waitForFunction(
        () =>
          document.querySelector('main h1') !== null &&
          document.querySelector('.skeleton') === null,
      )
    }
  }
  print(`  opening every page        ${await measure(page, visit)}`)
}

/** Appends like the hooks, and waits until the page has shown each batch. */
const stream = async (page: Page, log: string, from: number, count: number): Promise<void> => {
  for (let at = from; at < from + count; at += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, from + count - at) }, (_, index) =>
      rowOf(at + index),
    )
    appendFileSync(log, rows.join(''))
    await page.getByText(`step ${at + rows.length - 1} of the build`).waitFor()
  }
}

const FIRST_AT = Date.UTC(2026, 0, 1)
const rowOf = (index: number): string =>
  `${JSON.stringify({
    timestamp: new Date(FIRST_AT + index * 100).toISOString(),
    type: 'tool_use',
    session_id: `s${index % SESSIONS}`,
    host: 'claude',
    tool_name: index % 3 === 0 ? 'Bash' : 'Read',
    tool_use_id: `call-${index}`,
    tool_input_preview: `step ${index} of the build`,
    duration_ms: index % 900,
  })}\n`

const writeSessions = (home: string): void => {
  const at = new Date().toISOString()
  const sessions = Object.fromEntries(
    Array.from({ length: SESSIONS }, (_, index) => [
      `session-${index}`,
      {
        task: `Build part ${index} of the harbour`,
        sessionUUID: `s${index}`,
        mode: 'starting',
        phase: 'build',
        progress: '3/8',
        effort: 'standard',
        started: at,
        updatedAt: at,
        phaseHistory: [{ phase: 'BUILD', startedAt: Date.now(), source: 'voice' }],
        criteria: Array.from({ length: 8 }, (_each, id) => ({
          id: `ISC-${id}`,
          description: `Wall ${id} stands`,
          type: 'criterion',
          status: id < 3 ? 'completed' : 'pending',
        })),
      },
    ]),
  )
  mkdirSync(join(home, 'MEMORY/STATE'), { recursive: true })
  writeFileSync(join(home, 'MEMORY/STATE/work.json'), JSON.stringify({ sessions }))
}

/** Runs in the page: records the latency of each input. */
const watchInputs = (): void => {
  const inputs: number[] = []
  Object.assign(window, { inputs })
  const options: PerformanceObserverInit & { durationThreshold: number } = {
    ...{ type: 'event', buffered: true, durationThreshold: 16 },
  }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) inputs.push(duration)
  }).observe(options)
}

/** The latency of inputs and the longest task while something happens. */
const measure = async (page: Page, act: () => Promise<void>): Promise<string> => {
  const tasks = await watchTasks(page)
  await act()
  const found = await tasks.end()
  const inputs = z
    .array(z.number())
    .parse(
      await page.evaluate('new Promise((done) => setTimeout(() => done(inputs.splice(0)), 300))'),
    )
    .toSorted((one, other) => one - other)
  const worst = inputs[Math.max(0, Math.ceil(inputs.length * 0.98) - 1)]
  const paint = worst === undefined ? 'below 16 ms' : `${worst.toFixed(0)} ms`
  return `interaction to next paint ${paint}; longest task ${describeTasks(found)}`
}

const usage = z.object({ usedSize: z.number() })
const heapOf = async (devtools: CDPSession): Promise<number> => {
  await devtools.send('HeapProfiler.collectGarbage')
  return usage.parse(await devtools.send('Runtime.getHeapUsage')).usedSize
}
