import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings as settingsShape } from '@steward/contract'
import { createRedactor, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createWatchdogModule } from './watchdog-module.ts'

const START = Date.parse('2026-03-01T10:00:00Z')
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-watchdog-module-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const createParts = (given: object = {}) => {
  const warnings: string[] = []
  const log = {
    info: () => undefined,
    warn: (m: string) => warnings.push(m),
    error: () => undefined,
  }
  const bus = createBus(log)
  const lines: string[] = []
  const notices: unknown[] = []
  let now = START
  let timer: { at: number; run: () => void } | undefined
  let settings = settingsShape.parse(given)
  bus.subscribe('notice', (notice) => notices.push(notice))
  const module = createWatchdogModule({
    home: resolveHome({ STEWARD_HOME: root }),
    bus,
    log,
    now: () => now,
    setTimer: (delayMs, run) => {
      const own = { at: now + delayMs, run }
      timer = own
      return () => {
        if (timer === own) timer = undefined
      }
    },
    settings: () => settings,
    redactor: () => createRedactor({ KEY: 'a-very-secret-value' }),
    writeOut: (line) => lines.push(line),
  })
  return {
    module,
    bus,
    lines,
    notices,
    warnings,
    hasTimer: () => timer !== undefined,
    wait: (ms: number) => {
      const end = now + ms
      while (timer !== undefined && timer.at <= end) {
        const { at, run } = timer
        now = at
        timer = undefined
        run()
      }
      now = end
    },
    change: (next: object) => {
      settings = settingsShape.parse(next)
      bus.publish('settings.changed', { settings })
    },
  }
}

const row = (event: string, secondsAfterStart: number, more: object = {}) => ({
  timestamp: new Date(START + secondsAfterStart * 1000).toISOString(),
  session_id: 's',
  source: 'subagent' as const,
  type: event,
  subagent_id: 'a',
  subagent_type: 'Engineer',
  description: 'mend a-very-secret-value',
  ...more,
})

it('reports it once on standard output and to the other modules', async () => {
  const { module, bus, lines, notices, wait, hasTimer } = createParts()
  await module.start?.()
  expect(hasTimer()).toBe(false)
  bus.publish('events.arrived', { events: [row('subagent_start', 0)] })
  wait(89_999)
  expect(lines).toEqual([])
  expect(module.health()).toMatchObject({ status: 'ok', watched: 1, alerts: 0 })
  wait(300_000)
  const message =
    'watchdog: no tool call for 90 s by the Engineer agent "mend [redacted:KEY]" (a) in session s, last heard of at 2026-03-01T10:00:00.000Z'
  expect(lines).toEqual([`${message}\n`])
  expect(notices).toEqual([{ kind: 'watchdog', message, session_id: 's' }])
  expect(module.health()).toMatchObject({ alerts: 1, lastAlertAt: '2026-03-01T10:01:30.000Z' })
  bus.publish('events.arrived', { events: [row('subagent_stop', 380)] })
  expect(hasTimer()).toBe(false)
})

it('knows the agents that were active before it started', async () => {
  mkdirSync(join(root, 'MEMORY/STATE'), { recursive: true })
  const folder = join(root, 'MEMORY/OBSERVABILITY')
  mkdirSync(folder, { recursive: true })
  const { source: _, type, ...rest } = row('subagent_start', -60)
  writeFileSync(
    join(folder, 'subagent-events.jsonl'),
    `${JSON.stringify({ ...rest, event: type })}\n`,
  )
  const { module, lines, wait } = createParts()
  await module.start?.()
  wait(30_000)
  expect(lines).toHaveLength(1)
  await module.stop?.()

  // After a restart it finds the same silence, which was told.
  const again = createParts()
  await again.module.start?.()
  again.wait(60_000)
  expect(again.lines).toEqual([])
})

it('starts and reports when the logs cannot be read', async () => {
  mkdirSync(join(root, 'MEMORY/OBSERVABILITY/subagent-events.jsonl'), { recursive: true })
  const { module, warnings, bus, lines, wait } = createParts()
  await module.start?.()
  expect(module.health().status).toBe('degraded')
  expect(warnings).toHaveLength(1)
  bus.publish('events.arrived', { events: [row('subagent_start', 0)] })
  wait(100_000)
  expect(lines).toHaveLength(1)
})

it('follows changed settings, and is silent when switched off or stopped', async () => {
  const { module, bus, lines, wait, change, hasTimer } = createParts()
  await module.start?.()
  bus.publish('events.arrived', { events: [row('subagent_start', 0)] })
  change({ watchdog: { silenceSeconds: 10 } })
  wait(10_000)
  expect(lines).toHaveLength(1)
  change({ watchdog: { enabled: false } })
  bus.publish('events.arrived', { events: [row('subagent_start', 10, { subagent_id: 'b' })] })
  wait(200_000)
  expect(lines).toHaveLength(1)
  expect(module.health()).toMatchObject({ status: 'unavailable' })
  await module.stop?.()
  expect(hasTimer()).toBe(false)
  bus.publish('events.arrived', { events: [row('subagent_start', 300, { subagent_id: 'c' })] })
  expect(hasTimer()).toBe(false)
})
