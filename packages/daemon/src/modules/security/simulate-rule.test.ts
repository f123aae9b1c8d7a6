import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { API, type EventSource, type PolicyEdit } from '@steward/contract'
import { createRedactor, ensureHome, eventLogPath, type Home, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createSecurityModule } from './security-module.ts'

let home: Home
let person: string
beforeEach(async () => {
  person = mkdtempSync(join(tmpdir(), 'steward-simulate-'))
  home = resolveHome({ STEWARD_HOME: join(person, '.steward') })
  await ensureHome(home)
})
afterEach(() => rmSync(person, { recursive: true, force: true }))

const NOW = Date.parse('2026-03-10T10:00:00Z')
const HOUR_MS = 3_600_000

const simulate = async (edit: PolicyEdit, ended = new AbortController()) => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const module = createSecurityModule({
    ...{ home, homedir: person, bus: createBus(log), log, now: () => NOW },
    redactor: () => createRedactor({ KEY: 'a-very-secret-value' }),
    processEnvironment: {},
  })
  const handler = module.handlers.find(({ route }) => route === API.simulateSecurity)
  const body = API.simulateSecurity.body.parse({ edit })
  const call = { signal: ended.signal, header: () => undefined }
  const answer = await handler?.answer({ params: undefined, query: undefined, body }, call)
  return API.simulateSecurity.answer.parse(answer)
}

const rowOf = (hoursAgo: number, command: string, more: object = {}) => ({
  timestamp: new Date(NOW - hoursAgo * HOUR_MS).toISOString(),
  ...{ type: 'tool_use', session_id: 's', host: 'codex', cwd: '/projects/tide' },
  ...{ tool_name: 'Bash', ground_truth: { command } },
  ...more,
})
const append = (path: string, rows: readonly object[]): void => {
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
const log = (rows: readonly object[], source: EventSource = 'tool-activity'): void =>
  append(eventLogPath(home, source), rows)

const FROB: PolicyEdit = { action: 'add_pattern', section: 'confirm', pattern: '^frob', reason: '' }

it('has no calls to judge on a fresh home', async () => {
  const none = { deny: 0, ask: 0, alert: 0, pass: 0 }
  expect(await simulate(FROB)).toEqual({
    ...{ days: 30, calls: 0, isCut: false, matches: 0, changed: none, shadowed: 0, latest: [] },
  })
})

it('lists the calls of the last 30 days that a new rule matches, and saves nothing', async () => {
  const path = eventLogPath(home, 'tool-activity')
  append(`${path}.1`, [rowOf(31 * 24, 'frob too old'), rowOf(29 * 24, 'frob rotated')])
  log([
    { ...rowOf(4, ''), type: 'user_prompt', prompt: 'frob it' },
    rowOf(3, 'cd /tmp && frob a-very-secret-value'),
    rowOf(2, 'echo frob'),
    { ...rowOf(1, ''), tool_name: 'Read', ground_truth: { file_path: '/projects/frob' } },
  ])
  const preview = JSON.stringify({ command: 'frob fails' })
  const failed = { type: 'tool_failure', ground_truth: undefined, tool_input_preview: preview }
  log([rowOf(2.5, '', failed)], 'tool-failure')
  const found = await simulate(FROB)
  expect(found).toMatchObject({ calls: 5, isCut: false, matches: 3, shadowed: 0 })
  expect(found.changed).toEqual({ deny: 0, ask: 3, alert: 0, pass: 0 })
  expect(found.latest).toEqual([
    expect.objectContaining({ command: 'frob fails', before: 'pass', after: 'ask' }),
    {
      timestamp: '2026-03-10T07:00:00.000Z',
      ...{ session_id: 's', host: 'codex', tool: 'Bash' },
      command: 'cd /tmp && frob [redacted:KEY]',
      ...{ before: 'pass', after: 'ask', shadow: false },
    },
    expect.objectContaining({ command: 'frob rotated' }),
  ])
  expect(existsSync(join(home.user.security, 'PATTERNS.yaml'))).toBe(false)
})

it('distinguishes calls whose verdict stays, changes, or is only logged', async () => {
  log([rowOf(1, 'mkfs.ext4 /dev/sda1'), rowOf(2, 'ls')])
  const again = { ...FROB, section: 'blocked', pattern: '^ls', shadow: true } as const
  expect(await simulate(again)).toMatchObject({
    ...{ matches: 1, shadowed: 1, changed: { deny: 0 } },
    latest: [{ command: 'ls', before: 'pass', after: 'pass', shadow: true }],
  })
  const trusted = { ...FROB, section: 'trusted', pattern: '^nothing-like-it' } as const
  expect(await simulate(trusted)).toMatchObject({ calls: 2, matches: 0 })
  const watched = { ...FROB, section: 'alert', pattern: '.' } as const
  expect(await simulate(watched)).toMatchObject({
    matches: 1,
    changed: { alert: 1, deny: 0 },
    latest: [{ command: 'ls', before: 'pass', after: 'alert' }],
  })
  expect(await simulate({ action: 'set_shadow', rule: '*', shadow: true })).toMatchObject({
    matches: 1,
    latest: [{ command: 'mkfs.ext4 /dev/sda1', before: 'deny', after: 'pass' }],
  })
})

it('judges paths, too', async () => {
  const write = { tool_name: 'Write', ground_truth: { file_path: '/contracts/a.pdf' } }
  log([rowOf(1, '', write), rowOf(2, 'echo x > /contracts/b.txt'), rowOf(3, 'cat /contracts/c')])
  const found = await simulate({ action: 'add_path', tier: 'readOnly', path: '/contracts' })
  expect(found).toMatchObject({ matches: 2, changed: { deny: 2 } })
  expect(found.latest.map(({ command }) => command)).toEqual([
    '/contracts/a.pdf',
    'echo x > /contracts/b.txt',
  ])
})

it('looks at the 5000 newest calls, shows 20, and answers others meanwhile', async () => {
  const other = { tool_name: 'TodoWrite', ground_truth: {} }
  const callOf = (n: number) => rowOf((5200 - n) / 10, `frob ${n}`, n < 5175 ? other : {})
  log(Array.from({ length: 5200 }, (_, n) => callOf(n)))
  let turns = 0
  const count = setInterval(() => turns++, 1)
  const found = await simulate(FROB).finally(() => clearInterval(count))
  expect(found).toMatchObject({ calls: 5000, isCut: true, matches: 25, changed: { ask: 25 } })
  expect(found.latest.map(({ command }) => command)).toEqual(
    Array.from({ length: 20 }, (_, n) => `frob ${5199 - n}`),
  )
  expect(turns).toBeGreaterThan(3)
})

it('refuses a wrong pattern, and stops when the caller disconnects', async () => {
  await expect(simulate({ ...FROB, pattern: '(' })).rejects.toMatchObject({ code: 'invalid_input' })
  log([rowOf(1, 'frob')])
  const ended = new AbortController()
  ended.abort()
  await expect(simulate(FROB, ended)).rejects.toThrow()
})
