import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firingsPath } from '@steward/assistants'
import type { StewardEvent } from '@steward/contract'
import { appendLogRow, createRedactor, createWatchFolder, resolveHome } from '@steward/platform'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createWorkModule } from './work-module.ts'

const MINUTE_MS = 60_000
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-work-'))
  return () => rmSync(root, { recursive: true, force: true })
})

const open = async (clock: ReturnType<typeof createVirtualClock>) => {
  const home = resolveHome({ STEWARD_HOME: root })
  for (const folder of [home.databases, home.stateDir, home.work]) {
    mkdirSync(folder, { recursive: true })
  }
  const bus = createBus(log)
  const module = createWorkModule({
    home,
    bus,
    log,
    now: clock.now,
    setTimer: clock.setTimer,
    redactor: () => createRedactor({}),
    watchFolder: createWatchFolder(log.warn),
  })
  await module.start?.()
  onTestFinished(async () => module.stop?.())
  const readWork = () => JSON.parse(readFileSync(home.workState, 'utf8')).sessions
  return { home, bus, readWork, module }
}

it('follows specifications that an editor changes, in folders old and new', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 7, 15))
  const home = resolveHome({ STEWARD_HOME: root })
  const write = (slug: string, phase: string) => {
    mkdirSync(join(home.work, slug), { recursive: true })
    writeFileSync(
      join(home.work, slug, 'SPEC.md'),
      `---\ntask: Roof\nphase: ${phase}\nprogress: 0/1\n---\n## Criteria\n- [ ] ISC-1: Dry\n`,
    )
  }
  write('old', 'plan')
  const { readWork } = await open(clock)
  const phases = async () => {
    await clock.advanceInTurns(2000)
    return Object.entries(readWork()).map(([slug, entry]) => [slug, Object(entry).phase])
  }
  write('old', 'build')
  await expect.poll(phases).toEqual([['old', 'build']])
  write('new', 'observe')
  await expect.poll(phases).toEqual(expect.arrayContaining([['new', 'observe']]))
  const { updatedAt } = readWork().new
  clock.advance(MINUTE_MS)
  // The same text again is no activity.
  write('new', 'observe')
  write('old', 'verify')
  await expect.poll(phases).toEqual(expect.arrayContaining([['old', 'verify']]))
  expect(readWork().new.updatedAt).toBe(updatedAt)
})

it('keeps a session active while a call, a task or an agent of it runs', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 7, 15))
  const { home, bus, readWork, module } = await open(clock)
  const startedAt = new Date(clock.now()).toISOString()
  const names = ['calls', 'tasks', 'agents', 'ended', 'refused']
  const entries = names.map((name) => [
    name,
    { sessionUUID: name, mode: 'native', phase: 'native', updatedAt: startedAt },
  ])
  writeFileSync(home.workState, JSON.stringify({ sessions: Object.fromEntries(entries) }))
  const fire = (session_id: string, call?: string) =>
    appendLogRow(firingsPath(home), { timestamp: startedAt, session_id, call, call_id: 't1' })
  const row = (session_id: string, type: string, fields: object = {}): StewardEvent => ({
    timestamp: startedAt,
    session_id,
    source: 'tool-activity',
    type,
    ...fields,
  })
  fire('calls', 'begun')
  fire('ended', 'begun')
  fire('ended', 'ended')
  fire('refused')
  bus.publish('events.arrived', {
    events: [
      row('tasks', 'turn_end', { background_tasks: 1 }),
      row('agents', 'subagent_start', { subagent_id: 'a', agent_id: 'a' }),
    ],
  })
  const active = () =>
    names.filter(
      (name) => Date.parse(readWork()[name].lastToolActivity ?? 0) > clock.now() - MINUTE_MS * 2,
    )
  await expect
    .poll(async () => {
      await clock.advanceInTurns(MINUTE_MS)
      return active()
    })
    .toEqual(['calls', 'tasks', 'agents'])
  expect(module.health()).toMatchObject({ ongoing: 3 })

  fire('calls', 'ended')
  bus.publish('events.arrived', {
    events: [
      row('tasks', 'turn_end', { background_tasks: 0 }),
      row('agents', 'subagent_stop', { subagent_id: 'a', agent_id: 'a' }),
    ],
  })
  await expect
    .poll(async () => {
      await clock.advanceInTurns(MINUTE_MS)
      return [active(), module.health().ongoing]
    })
    .toEqual([[], 0])
})
