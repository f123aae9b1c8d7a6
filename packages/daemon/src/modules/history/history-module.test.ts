import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, type Route, type SessionSummary, sessionDetail, sessionPage } from '@steward/contract'
import {
  appendLogRow,
  createRedactor,
  eventLogPath,
  readSecurityEvents,
  resolveHome,
  rotateLog,
  writePushedState,
  writeSessionName,
} from '@steward/platform'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { UsageOfSessions } from '../../ports.ts'
import { createHistoryModule } from './history-module.ts'

const NOW = Date.UTC(2026, 2, 7, 15)
const iso = (minute: number): string => new Date(NOW + minute * 60_000).toISOString()
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
let home: ReturnType<typeof resolveHome>
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'steward-history-'))
  home = resolveHome({ STEWARD_HOME: root })
  for (const folder of [home.databases, home.stateDir]) mkdirSync(folder, { recursive: true })
  return () => rmSync(root, { recursive: true, force: true })
})

const append = (minute: number, session_id: string, event: string, fields: object = {}): void => {
  const source = event.startsWith('subagent') ? 'subagent' : 'tool-activity'
  appendLogRow(eventLogPath(home, source), {
    timestamp: iso(minute),
    session_id,
    event,
    host: 'claude',
    agent_id: null,
    ...fields,
  })
}

interface Elsewhere {
  hosted?: readonly SessionSummary[]
  costs?: ReadonlyMap<string, number>
  recorded?: UsageOfSessions['changes']
}

const nothingRecorded: UsageOfSessions['changes'] = async (since) => ({
  sessions: [],
  next: since,
  isAll: true,
})

const open = async (
  keptOpen = '',
  { hosted = [], costs = new Map(), recorded = nothingRecorded }: Elsewhere = {},
) => {
  const module = createHistoryModule({
    home,
    bus: createBus(log),
    log,
    now: () => NOW,
    setTimer: (ms, action) => {
      const timer = setTimeout(action, ms)
      return () => clearTimeout(timer)
    },
    redactor: () => createRedactor({ KEY: 'Sup3rSecret' }),
    processEnvironment: { PATH: home.root },
    asking: { reply: async (sessionId) => sessionId === keptOpen },
    usage: { of: async () => null, costs: async () => costs, changes: recorded },
    hosted: { list: async () => hosted },
  })
  await module.start?.()
  const stop = async () => module.stop?.()
  onTestFinished(stop)
  const call = async (route: Route, query: object, params: object = {}) => {
    const handler = module.handlers.find((each) => each.route === route)
    const parsed = { params, query: route.query?.parse(query), body: undefined }
    const context = { signal: new AbortController().signal, header: () => undefined }
    return handler?.answer(parsed, context)
  }
  const list = async (query: object = {}) => sessionPage.parse(await call(API.listSessions, query))
  const show = async (id: string, query: object = {}) =>
    sessionDetail.parse(await call(API.getSession, query, { id }))
  const { find, reply: pass } = module.replying
  const reply = async (id: string, text: string) => pass(await find(id), text)
  return { list, show, reply, stop, module }
}

it('lists every session of the logs, in pages, with its state and name', async () => {
  append(-501, 'left', 'user_prompt', { prompt: '9/10' })
  append(-500, 'left', 'user_prompt', { prompt: 'why is the roof wet?', cwd: '/work/roof' })
  append(-400, 'named', 'session_start', { model: 'm1', start_source: 'resume' })
  append(-30, 'named', 'permission_request', { cwd: '/work/site/docs' })
  append(-20, 'busy', 'turn_end', { background_tasks: 1, message_preview: 'with Sup3rSecret' })
  append(-19, 'busy', 'subagent_start', { agent_id: 'a', subagent_id: 'a' })
  append(-10, 'over', 'tool_use')
  append(-9, 'over', 'session_end')
  // Written late: its time counts.
  append(-12, 'over', 'tool_use')
  await writeSessionName(home, 'named', 'Fix Roof')
  await writePushedState(home, {
    receivedAt: iso(0),
    document: {
      machine: 'laptop',
      sessions: { far: { task: 'There', sessionUUID: 'far-1', updatedAt: iso(-25) } },
    },
  })
  const { list } = await open()
  const first = await list({ limit: 3 })
  expect(first).toMatchObject({ total: 5, indexing: false })
  expect(first.sessions).toMatchObject([
    { id: 'over', status: 'ended', toolCalls: 2, endedAt: iso(-9) },
    { id: 'busy', status: 'working', subagents: 1, lastMessage: 'with [redacted:KEY]' },
    { id: 'far-1', name: 'There', machine: 'laptop', status: 'inactive' },
  ])
  const second = await list({ limit: 3, before: first.next })
  expect(second).toMatchObject({ next: null })
  expect(second.sessions).toMatchObject([
    { id: 'named', name: 'Fix Roof', status: 'waiting', startSource: 'resume', model: 'm1' },
    { id: 'left', name: expect.stringMatching(/roof/i), status: 'inactive', prompts: 2 },
  ])
  const ids = async (query: object) => (await list(query)).sessions.map(({ id }) => id)
  expect(first.groups).toEqual({ needs: 1, running: 1, idle: 0, done: 3 })
  expect(first).toMatchObject({ hosts: ['claude'], projects: ['/work/site/docs', '/work/roof'] })
  expect(await ids({ status: 'waiting' })).toEqual(['named'])
  expect(await ids({ group: 'needs' })).toEqual(['named'])
  expect(await ids({ group: 'running' })).toEqual(['busy'])
  expect(await ids({ group: 'done' })).toEqual(['over', 'far-1', 'left'])
  expect(await list({ group: 'done', q: 'ROOF WET' })).toMatchObject({
    total: 1,
    groups: { needs: 0, running: 0, idle: 0, done: 1 },
    sessions: [{ id: 'left', prompt: 'why is the roof wet?' }],
  })
  expect(await ids({ project: '/work/site' })).toEqual(['named'])
  expect(await ids({ q: '/ROOF' })).toEqual(['left'])
  await expect(list({ before: 'x' })).rejects.toMatchObject({ code: 'invalid_input' })
})

it('finds a session by words that are in different texts of it', async () => {
  append(-50, 'dike', 'user_prompt', { prompt: 'Is the pump on?', cwd: '/work/harbour' })
  append(-49, 'dike', 'turn_end', { message_preview: 'The float hung.' })
  append(-40, 'quay', 'user_prompt', { prompt: 'Is the lamp on?', cwd: '/work/harbour' })
  const background = {
    ...{ id: 'far', name: 'Watch the tide', prompt: 'Every hour', host: 'hosted', machine: null },
    ...{ project: null, status: 'idle' as const, startedAt: iso(-60), lastActivityAt: iso(-30) },
    ...{ endedAt: null, startSource: null, model: 'm', prompts: 1, toolCalls: 0, failures: 0 },
    ...{ subagents: 0, lastMessage: null, costUsd: null },
  }
  const { list } = await open('', { hosted: [background] })
  const ids = async (q: string) => (await list({ q })).sessions.map(({ id }) => id)
  expect(await ids('harbour pump')).toEqual(['dike'])
  expect(await ids('  FLOAT harb is')).toEqual(['dike'])
  expect(await ids('harbour on')).toEqual(['quay', 'dike'])
  expect(await ids('on mp')).toEqual(['quay', 'dike'])
  expect(await ids('pu on')).toEqual(['dike'])
  expect(await ids('harbour pump lamp')).toEqual([])
  expect(await ids('hour watch')).toEqual(['far'])
})

it('shows the timeline of a session across rotated logs and restarts, each row once', async () => {
  for (let n = 0; n < 40; n++) append(-100 + n, n % 2 === 0 ? 'even' : 'odd', 'tool_use', { n })
  const first = await open()
  expect((await first.show('even')).events).toHaveLength(20)
  await first.stop()
  rotateLog(eventLogPath(home, 'tool-activity'), { maxBytes: 1 })
  append(-20, 'even', 'subagent_start', { agent_id: 'a', subagent_id: 'a' })
  append(-10, 'even', 'turn_end', { n: 'last', key: 'Sup3rSecret' })
  const { show } = await open()
  const page = await show('ev', { limit: 15 })
  expect(page.session).toMatchObject({ id: 'even', toolCalls: 20, status: 'idle' })
  expect(page.events[0]).toMatchObject({ n: 'last', key: '[redacted:KEY]' })
  const rest = await show('even', { limit: 15, before: page.next })
  const seen = [...page.events, ...rest.events].map(({ n, type }) => n ?? type)
  const numbers = Array.from({ length: 20 }, (_, index) => 38 - index * 2)
  expect(seen).toEqual(['last', 'subagent_start', ...numbers])
  expect(rest.next).toBeNull()
  await expect(show('none')).rejects.toMatchObject({ code: 'not_found' })
})

it('counts rows and failures by hour, without gaps', async () => {
  append(-30, 'one', 'tool_use')
  append(-29, 'one', 'tool_use')
  append(-150, 'two', 'tool_use')
  append(-60 * 30, 'old', 'tool_use')
  appendLogRow(eventLogPath(home, 'tool-failure'), {
    ...{ timestamp: iso(-28), session_id: 'one', event: 'tool_failure', error: 'no' },
  })
  const { module } = await open()
  const handler = module.handlers.find(({ route }) => route === API.getActivity)
  const context = { signal: new AbortController().signal, header: () => undefined }
  const input = { params: {}, query: API.getActivity.query.parse({ hours: 4 }), body: undefined }
  expect(await handler?.answer(input, context)).toEqual({
    sessions: 2,
    hours: [
      { at: iso(-180), events: 1, failures: 0 },
      { at: iso(-120), events: 0, failures: 0 },
      { at: iso(-60), events: 3, failures: 1 },
      { at: iso(0), events: 0, failures: 0 },
    ],
  })
})

it('finds events of the whole history by the filter of the page', async () => {
  for (let n = 0; n < 12; n++) {
    append(-60 * n, n % 2 === 0 ? 'even' : 'odd', 'tool_use', {
      tool_name: n < 6 ? 'Bash' : 'Read',
    })
  }
  const { module } = await open()
  const handler = module.handlers.find(({ route }) => route === API.listEvents)
  const context = { signal: new AbortController().signal, header: () => undefined }
  const find = async (query: object) => {
    const input = { params: {}, query: API.listEvents.query.parse(query), body: undefined }
    return API.listEvents.answer.parse(await handler?.answer(input, context))
  }
  const times = async (query: object) =>
    (await find(query)).events.map(({ timestamp }) => timestamp)
  const first = await find({ q: 'tool:bash', limit: 4 })
  expect(first).toMatchObject({ total: 12, events: { length: 4 } })
  expect(await times({ q: 'tool:bash', limit: 4, before: first.next })).toEqual([
    iso(-240),
    iso(-300),
  ])
  expect(await times({ q: 'session:OD since:4h' })).toEqual([iso(-60), iso(-180)])
  expect(await find({ q: 'source:subagent' })).toMatchObject({ events: [], next: null })
})

it('lists background agents among the others, with the cost of each', async () => {
  append(-10, 'own', 'tool_use')
  const background = {
    ...{ id: 'sesn_1', name: 'Fill gaps', prompt: null, host: 'hosted', machine: null },
    ...{ project: null, status: 'waiting' as const, startedAt: iso(-60), lastActivityAt: iso(-5) },
    ...{ endedAt: null, startSource: null, model: 'm', prompts: 0, toolCalls: 0, failures: 0 },
    ...{ subagents: 0, lastMessage: null, costUsd: 0.8 },
  }
  appendLogRow(eventLogPath(home, 'voice'), {
    ...{ timestamp: iso(-4), session_id: 'sesn_1', type: 'voice_start', message: 'Done.' },
  })
  const { list, show } = await open('', { hosted: [background], costs: new Map([['own', 0.25]]) })
  expect((await list()).sessions).toMatchObject([
    { id: 'sesn_1', costUsd: 0.8 },
    { id: 'own', costUsd: 0.25 },
  ])
  expect(await list({ host: 'hosted' })).toMatchObject({
    total: 1,
    groups: { needs: 1, running: 0 },
    hosts: ['claude', 'hosted'],
  })
  expect((await show('own')).session.costUsd).toBe(0.25)
  expect((await show('sesn_1')).session.name).toBe('Fill gaps')
})

it('makes a damaged index again', async () => {
  append(-1, 's', 'user_prompt', { prompt: 'repair the roof' })
  writeFileSync(join(home.databases, 'sessions.sqlite'), 'x'.repeat(5000))
  const { list } = await open()
  expect(await list()).toMatchObject({ total: 1 })
})

it('continues an ended session through its assistant, and no other', async () => {
  const cwd = home.root
  const script = `#!/bin/sh\nread -r text\n[ "$text" = fail ] && { echo "no such model" >&2; exit 4; }\necho "$PWD $* < $text" >> "${home.root}/told"\n`
  writeFileSync(join(home.root, 'claude'), script, { mode: 0o755 })
  append(-10, 'over', 'turn_end', { cwd })
  append(-9, 'over', 'session_end', { cwd })
  append(-8, 'idle', 'turn_end', { cwd })
  append(-7, 'busy', 'user_prompt', { cwd })
  append(-6, 'gem', 'session_end', { host: 'gemini', cwd })
  append(-5, 'dex', 'session_end', { host: 'codex', cwd })
  append(-4, 'asks', 'permission_request', { cwd })
  append(-3, 'kept', 'turn_end', { cwd })
  const { reply } = await open('kept')
  expect(await reply('kept', 'go on')).toBe('reply')
  expect(await reply('over', 'Now --test it')).toBe('resume')
  expect(readFileSync(join(home.root, 'told'), 'utf8')).toBe(
    `${realpathSync(cwd)} --print --resume over < Now --test it\n`,
  )
  const { events } = await readSecurityEvents(home, { limit: 9 }, createRedactor({}))
  expect(events).toMatchObject([{ session_id: 'over', rule: 'answer', verdict: 'pass' }])
  await expect(reply('over', 'fail')).rejects.toMatchObject({
    code: 'reply_failed',
    message: expect.stringContaining('no such model'),
  })
  const refused = (id: string, message: string) =>
    expect(reply(id, 'x')).rejects.toMatchObject({
      code: 'session_elsewhere',
      message: expect.stringContaining(message),
    })
  await refused('idle', 'it is open in the terminal of claude')
  await refused('busy', 'it is working')
  await refused('asks', 'it waits for an answer')
  await refused('gem', 'gemini takes replies only in its terminal')
  await refused('dex', 'the command codex was not found')
  await expect(reply('none', 'x')).rejects.toMatchObject({ code: 'not_found' })
})

it('lists sessions that only the records of an assistant know, and continues where it read them', async () => {
  const asked: unknown[] = []
  const sessionOf = (session: string, title: string | null, minute: number) => ({
    ...{ host: 'codex' as const, session, title, model: 'gpt-6', project: '/work/harbour' },
    startedMs: NOW + minute * 60_000 - 300_000,
    lastMs: NOW + minute * 60_000,
  })
  const recorded: UsageOfSessions['changes'] = async (since) => {
    asked.push(since)
    if (since.context === 0) {
      const sessions = [sessionOf('old', 'Repair the quay', -600), sessionOf('s1', 'A title', -5)]
      return { sessions, next: { context: 2, quarter: 0 }, isAll: false }
    }
    return { sessions: [], next: { context: 2, quarter: 9 }, isAll: true }
  }
  append(-10, 's1', 'user_prompt', { prompt: 'paint the boat', cwd: '/work/boat' })
  const first = await open('', { recorded })
  const { sessions, hosts, total } = await first.list()
  expect(total).toBe(2)
  expect(hosts).toEqual(['claude', 'codex'])
  expect(sessions).toMatchObject([
    {
      id: 's1',
      prompt: 'paint the boat',
      host: 'claude',
      status: 'working',
      project: '/work/boat',
    },
    { id: 'old', name: 'Repair the quay', host: 'codex', status: 'ended', model: 'gpt-6' },
  ])
  expect((await first.list({ q: 'quay' })).sessions).toMatchObject([{ id: 'old' }])
  expect((await first.list({ group: 'done' })).sessions).toMatchObject([{ id: 'old' }])
  expect(await first.show('old')).toMatchObject({ session: { startSource: 'records' }, events: [] })
  await first.stop()
  asked.length = 0
  const second = await open('', { recorded })
  expect((await second.list()).total).toBe(2)
  expect(asked[0]).toEqual({ context: 2, quarter: 9 })
})
