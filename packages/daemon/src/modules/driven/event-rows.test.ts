import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendLogRow, createRedactor, eventLogPath, resolveHome } from '@steward/platform'
import { expect, it, onTestFinished } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createEventRows } from './event-rows.ts'

const TASK = 'update the dependencies'
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

const setUp = () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-rows-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = resolveHome({ STEWARD_HOME: root })
  mkdirSync(home.observability, { recursive: true })
  const path = eventLogPath(home, 'tool-activity')
  const open = () =>
    createEventRows(
      { home, bus: createBus(log), now: Date.now, redactor: () => createRedactor({}) },
      { id: 's1', host: 'gemini', folder: '/f' },
    )
  const hook = (type: string, fields: object = {}) =>
    appendLogRow(path, {
      ...{ timestamp: new Date().toISOString(), event: type, source: 'tool-activity', type },
      ...{ session_id: 's1', host: 'gemini', agent_id: null, cwd: '/f', ...fields },
    })
  const types = (): unknown[] =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
  return { open, hook, types }
}

it('writes a prompt that waited when the daemon was killed, once', async () => {
  const { open, types } = setUp()
  const at = new Date().toISOString()
  const first = open()
  first.started('startup')
  first.prompted(TASK)
  // The daemon is killed here. A second interruption finds the row.
  for (const rows of [open(), open()]) {
    rows.started('resume')
    await rows.recovered(TASK, at)
  }
  const last = open()
  await last.answered()
  last.ended('done')
  expect(types()).toEqual([
    ...['session_start', 'session_start', 'user_prompt', 'session_start', 'turn_end'],
  ])
})

it('leaves a prompt alone that a hook has reported, and adds one whose hook was killed', async () => {
  const { open, hook, types } = setUp()
  const [first, second] = ['2026-01-01T10:00:00.000Z', '2026-01-01T11:00:00.000Z']
  hook('user_prompt', { prompt: `${TASK} now`, timestamp: '2026-01-01T10:00:01.000Z' })
  await open().recovered(`${TASK} now`, first)
  // An assistant that lost its client reports the end of its turn; the turn goes on.
  hook('turn_end', { timestamp: '2026-01-01T10:00:02.000Z' })
  await open().recovered(`${TASK} now`, first)
  expect(types()).toEqual(['user_prompt', 'turn_end'])
  // The same words in a later turn.
  await open().recovered(`${TASK} now`, second)
  expect(types()).toEqual(['user_prompt', 'turn_end', 'user_prompt'])
})

it('reads the log once for all that an assistant reports meanwhile', async () => {
  const { open, hook, types } = setUp()
  hook('session_start')
  const rows = open()
  rows.prompted(TASK)
  const [first, second] = [rows.answered(), rows.answered()]
  expect(second).toBe(first)
  await first
  // Its hooks report it, so that nothing is added.
  rows.ended('done')
  expect(types()).toEqual(['session_start'])
})
