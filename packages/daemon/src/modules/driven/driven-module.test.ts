import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { confineAgent, type DriveSpec, findProgram, openAgent } from '@steward/assistants'
import {
  API,
  attentionEntry,
  comparison,
  type DrivenSession,
  drivenSession,
  isJsonObject,
  type Route,
  StewardError,
  sessionPage,
  settings as settingsSchema,
  turnTask,
} from '@steward/contract'
import { createRedactor, eventLogPath, resolveHome, writeHalt } from '@steward/platform'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { DaemonModule } from '../../module.ts'
import type { Notice } from '../../ports.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createAttentionModule } from '../attention/index.ts'
import { createHistoryModule } from '../history/index.ts'
import { createDrivenModule } from './driven-module.ts'

const AGENT = join(import.meta.dirname, '../../../../assistants/src/acp/testing/scripted-agent.mjs')
const SPEC: DriveSpec = {
  title: 'The scripted agent',
  program: { kind: 'command', names: ['node'], args: [] },
  install: 'nothing',
  signIn: 'say hello to it',
  modes: ['default', 'plan'],
  reportsPlan: true,
  reportsCost: true,
}
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

let root = ''
let project = ''
const stops: Array<() => Promise<void> | undefined> = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-driven-'))
  project = join(root, 'project')
  mkdirSync(project)
})
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
  rmSync(root, { recursive: true, force: true })
})

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', project, '-c', 'user.name=T', '-c', 'user.email=t@t', ...args], {
    encoding: 'utf8',
  }).trim()

const openDaemon = async (
  env: Record<string, string> = {},
  given: object = {},
  startMs = Date.now(),
) => {
  const home = resolveHome({ STEWARD_HOME: join(root, 'home') })
  for (const folder of [home.stateDir, home.databases, home.observability]) {
    mkdirSync(folder, { recursive: true })
  }
  const clock = createVirtualClock(startMs)
  const bus = createBus(log)
  const notices: Notice[] = []
  const send = async (notice: Notice) => {
    notices.push(notice)
    return { stored: true }
  }
  const settings = settingsSchema.parse(given)
  const redactor = createRedactor({ KEY: 'Sup3rSecret' })
  const common = {
    ...{ home, bus, log, now: clock.now, setTimer: clock.setTimer },
    ...{ settings: () => settings, environment: () => ({}), redactor: () => redactor },
  }
  const attention = createAttentionModule({
    ...common,
    notices: { send, withdraw: async () => undefined },
    hosted: { waiting: async () => [], answer: async () => undefined },
    command: 'steward',
    fetch,
  })
  const agentLog = join(root, 'agent.log')
  const processEnvironment = { ...process.env, AGENT_LOG: agentLog, ...env }
  const history = createHistoryModule({
    ...common,
    processEnvironment,
    asking: attention.asking,
    usage: {
      of: async () => null,
      costs: async () => new Map(),
      changes: async (since) => ({ sessions: [], next: since, isAll: true }),
    },
    hosted: { list: async () => [] },
    setTimer: (ms, action) => {
      const timer = setTimeout(action, ms)
      return () => clearTimeout(timer)
    },
  })
  const driven = createDrivenModule({
    ...common,
    notices: { send },
    homedir: root,
    judge: (_, { input }) =>
      input.file_path?.endsWith('.env')
        ? { verdict: 'deny', rule: 'r', reason: 'secrets stay', part: '' }
        : undefined,
    asking: attention.asking,
    replying: history.replying,
    driving: {
      specOf: async (name) => (name === 'cursor' ? undefined : SPEC),
      confine: (program, place) =>
        confineAgent({}, program, { ...place, homedir: root, env: processEnvironment }),
      open: async (spec, { sandbox, ...rest }) => {
        const env = processEnvironment
        const found = { command: process.execPath, args: [AGENT] }
        const program =
          sandbox === undefined
            ? found
            : await confineAgent(spec, found, { ...sandbox, homedir: root, env })
        return openAgent({ ...rest, spec, program, homedir: root, env })
      },
    },
    processEnvironment,
  })
  const modules = [attention, driven, history]
  for (const module of modules) {
    await module.start?.()
    stops.push(async () => module.stop?.())
  }
  const call = async (
    route: Route,
    input: { params?: object; query?: object; body?: object } = {},
  ) => {
    const handler = modules
      .flatMap(({ handlers }: DaemonModule) => handlers)
      .find((each) => each.route === route)
    const parsed = {
      params: route.params?.parse(input.params ?? {}),
      query: route.query?.parse(input.query ?? {}),
      body: route.body?.parse(input.body ?? {}),
    }
    return handler?.answer(parsed, {
      signal: new AbortController().signal,
      header: () => undefined,
    })
  }
  const start = async (prompt: string, more: object = {}): Promise<DrivenSession> =>
    drivenSession.parse(
      await call(API.startSession, { body: { assistant: 'claude', project, prompt, ...more } }),
    )
  const get = async ({ id }: { id: string }) =>
    drivenSession.parse(await call(API.getDrivenSession, { params: { id } }))
  const until = (session: { id: string }, state: DrivenSession['state']): Promise<DrivenSession> =>
    vi.waitFor(
      async () => {
        const found = await get(session)
        expect(found).toMatchObject({ state })
        return found
      },
      { timeout: 20_000, interval: 20 },
    )
  const waiting = async () => {
    const answer = await call(API.listWaiting)
    return attentionEntry.array().parse(isJsonObject(answer) ? answer.waiting : [])
  }
  const answerNext = async (body: object): Promise<void> => {
    const [entry] = await vi.waitFor(async () => {
      const open = (await waiting()).filter(({ answerable }) => answerable)
      expect(open).toHaveLength(1)
      return open
    })
    await call(API.answerWaiting, { params: { id: entry?.id ?? '' }, body })
  }
  return {
    ...{ home, bus, clock, notices, call, start, get, until, waiting, answerNext },
    list: async () => sessionPage.parse(await call(API.listSessions)),
    asked: () => (existsSync(agentLog) ? readFileSync(agentLog, 'utf8').trim().split('\n') : []),
    send: (session: { id: string }, text: string) =>
      call(API.sendToSession, { params: { id: session.id }, body: { text } }),
    run: (key: string, task: object, signal = new AbortController().signal) =>
      driven.runTurn(turnTask.parse(task), { key, signal }),
    stop: (session: { id: string }) => call(API.stopSession, { params: { id: session.id } }),
    stopDaemon: async () => {
      for (const stop of stops.splice(0).toReversed()) await stop()
    },
  }
}

/** The id of a session has the id of its process. */
const isAlive = ({ id }: { id: string }): boolean => {
  try {
    return process.kill(Number(/^agent-(\d+)/.exec(id)?.[1]), 0)
  } catch {
    return false
  }
}

it('works in a worktree, asks through the attention list, and reports diff, check and branch', async () => {
  git('init', '--quiet')
  writeFileSync(join(project, 'old.txt'), 'old')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  const daemon = await openDaemon()
  const session = await daemon.start('plan Look|Write\nwrite new.txt hello\nsay all is done', {
    worktree: true,
    check: 'cat new.txt',
    mode: 'plan',
  })
  expect(session.branch).toMatch(/^steward\/plan-look-write-/)
  await expect.poll(() => daemon.waiting()).toHaveLength(1)
  expect(await daemon.waiting()).toMatchObject([
    { session_id: session.id, kind: 'permission', tool: 'Write new.txt', answerable: true },
  ])
  // A hook of the same session does not ask a second time.
  const hook = { id: 'hook-request', host: 'claude', session_id: session.id, reason: 'permission' }
  const rest = { detail: 'x', asked: { decides: true }, at: new Date().toISOString(), waitMs: 9000 }
  expect(await daemon.call(API.askAttention, { body: { ...hook, ...rest } })).toMatchObject({
    status: 'closed',
  })
  await daemon.answerNext({ decision: 'allow', scope: 'once' })
  const done = await daemon.until(session, 'idle')
  expect(done).toMatchObject({
    turns: 1,
    toolCalls: 1,
    result: { check: { ok: true, output: 'hello' }, diffStat: expect.stringContaining('new.txt') },
  })
  expect(git('show', `${done.branch}:new.txt`)).toBe('hello')
  expect(existsSync(join(project, 'new.txt'))).toBe(false)
  expect(daemon.asked()).toEqual(['mode plan', 'prompt plan Look|Write', 'outcome id-allow_once'])
  expect((await daemon.list()).sessions).toMatchObject([
    { id: session.id, host: 'claude', prompts: 1, toolCalls: 1, lastMessage: 'all is done ' },
  ])
  // A follow-up in the same session, refused without an option to refuse.
  const sent = await daemon.send({ id: 'last' }, 'offer allow_once\nwrite bad.txt no')
  expect(sent).toMatchObject({ id: session.id, as: 'prompt', driven: { turns: 2 } })
  await daemon.answerNext({ decision: 'deny' })
  await daemon.until(session, 'idle')
  expect(daemon.asked().at(-1)).toBe('outcome cancelled')
})

it('works in a copy of a folder without git, and leaves a patch and the project as it was', async () => {
  writeFileSync(join(project, 'old.txt'), 'old\n')
  const daemon = await openDaemon()
  await expect(daemon.start('say no', { copy: true, worktree: true })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('in a worktree or in a copy, not in both'),
  })
  const rules = { copy: true, allow: ['edit'], writable: ['old.txt'], check: 'cat old.txt' }
  const session = await daemon.start('write old.txt new\nsneak other.txt no', rules)
  const done = await daemon.until(session, 'idle')
  expect(done).toMatchObject({
    ...{ branch: null, copy: true, folder: expect.stringContaining('/copies/') },
    result: { outside: ['other.txt'], check: { ok: true, output: 'new' } },
  })
  expect(readFileSync(join(project, 'old.txt'), 'utf8')).toBe('old\n')
  expect(await daemon.call(API.getSessionDiff, { params: { id: session.id } })).toMatchObject({
    diff: expect.stringMatching(/-old\n\+new/),
  })
  // The same session goes on in its copy, after a restart too.
  await daemon.stopDaemon()
  const next = await openDaemon()
  await next.send(session, 'write old.txt newer')
  const again = await next.until(session, 'idle')
  expect(again).toMatchObject({ turns: 2, folder: done.folder })
  expect(readFileSync(again.result?.patch ?? '', 'utf8')).toContain('+newer')
  // Steward removes the copy with its record.
  await next.stopDaemon()
  const later = await openDaemon({}, {}, Date.now() + 91 * 86_400_000)
  await expect(later.get(session)).rejects.toMatchObject({ code: 'session_not_driven' })
  await expect.poll(() => existsSync(done.folder)).toBe(false)
})

it('compares assistants in copies of a folder without git', async () => {
  const daemon = await openDaemon()
  const body = { assistants: ['claude', 'codex'], project, prompt: 'write a.txt one', copy: true }
  const started = comparison.parse(
    await daemon.call(API.startComparison, { body: { ...body, allow: ['edit'] } }),
  )
  for (const { session } of started.sides) await daemon.until(session, 'idle')
  const { sides } = comparison.parse(
    await daemon.call(API.getComparison, { params: { id: started.id } }),
  )
  expect(sides).toMatchObject([
    { diff: expect.stringContaining('+one'), session: { copy: true } },
    { diff: expect.stringContaining('+one'), session: { copy: true } },
  ])
  expect(existsSync(join(project, 'a.txt'))).toBe(false)
  expect(await daemon.call(API.listComparisons, { query: { limit: 5 } })).toMatchObject({
    comparisons: [
      {
        id: started.id,
        prompt: 'write a.txt one',
        sessions: [{ assistant: 'claude' }, { assistant: 'codex' }],
      },
    ],
  })
})

it.each([false, true])(
  'counts a session once whose hooks report it, sandbox: %s',
  async (sandbox) => {
    const home = resolveHome({ STEWARD_HOME: join(root, 'home') })
    const daemon = await openDaemon({ HOOK_LOG: eventLogPath(home, 'tool-activity') })
    const task = { allow: ['edit'], sandbox }
    const session = await daemon.start('write a.txt one\nsay done', task)
    await daemon.until(session, 'idle')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one')
    expect((await daemon.list()).sessions).toMatchObject([
      { id: session.id, prompts: 1, toolCalls: 1, failures: 0 },
    ])
  },
)

it('keeps the limits, stops, and resumes a stopped session with a message', async () => {
  const daemon = await openDaemon({}, { sessions: { mostAtOnce: 1 } })
  const session = await daemon.start('wait', { limits: { minutes: 5, turns: 2, budgetUsd: 1 } })
  await expect(daemon.start('say hi')).rejects.toMatchObject({ code: 'sessions_full' })
  await expect(daemon.send(session, 'hi')).rejects.toMatchObject({ code: 'session_busy' })
  await expect.poll(() => daemon.asked()).toEqual(['prompt wait'])
  await daemon.stop(session)
  expect(await daemon.get(session)).toMatchObject({ state: 'stopped', reason: 'stopped by you' })
  await daemon.send(session, 'say again\nwait')
  await expect.poll(() => daemon.asked()).toContain('prompt say again')
  expect(daemon.asked()).toContain(`load ${session.id}`)
  daemon.clock.advance(5 * 60_000)
  const limited = await daemon.until(session, 'stopped')
  expect(limited).toMatchObject({ reason: 'limit reached: 5 minutes', toolCalls: 0, turns: 2 })
  expect(daemon.notices.at(-1)?.message).toContain('5 minutes')
  await expect(daemon.send(session, 'x')).rejects.toMatchObject({ code: 'session_limit' })
  const costs: number[] = []
  daemon.bus.subscribe('turn.cost', ({ costUsd }) => costs.push(costUsd))
  const costly = await daemon.start('cost 2\nwait', { limits: { budgetUsd: 1 } })
  expect(await daemon.until(costly, 'stopped')).toMatchObject({ costUsd: 2 })
  expect(costs).toEqual([2])
})

it('resumes work when the assistant dies and when the daemon ends, and reports it', async () => {
  const first = await openDaemon()
  const session = await first.start('say one\ndie')
  expect(await first.until(session, 'idle')).toMatchObject({ resumed: 1, turns: 1 })
  await first.send(session, 'wait')
  await expect.poll(() => first.asked()).toContain('prompt wait')
  await first.stopDaemon()
  const second = await openDaemon()
  expect(await second.until(session, 'idle')).toMatchObject({ resumed: 2, turns: 2 })
  expect(second.notices).toMatchObject([{ message: expect.stringContaining('interrupted') }])
  const [continued] = second.asked().slice(-1)
  expect(continued).toMatch(/^prompt Your program was interrupted/)
  expect((await second.list()).sessions).toMatchObject([{ id: session.id, prompts: 2 }])
})

it('gives a message to a session whose assistant died while it was idle', async () => {
  const daemon = await openDaemon()
  const session = await daemon.start('say one\nleave')
  await daemon.until(session, 'idle')
  await expect.poll(() => daemon.asked()).toContain('left')
  await expect.poll(() => isAlive(session)).toBe(false)
  await daemon.send(session, 'say two')
  expect(await daemon.until(session, 'idle')).toMatchObject({ answer: 'two', turns: 2 })
  // An adapter may outlive its assistant.
  await daemon.send(session, 'say three\nlose')
  expect(await daemon.until(session, 'idle')).toMatchObject({ turns: 3, resumed: 1 })
})

it('withdraws a permission request when the assistant dies, and asks once after it is resumed', async () => {
  const daemon = await openDaemon()
  const session = await daemon.start('write a.txt one')
  await expect.poll(() => daemon.waiting()).toHaveLength(1)
  const [entry] = await daemon.waiting()
  const pid = Number(/^agent-(\d+)/.exec(session.id)?.[1])
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(
    async () => {
      const open = await daemon.waiting()
      expect(open).toHaveLength(1)
      expect(open[0]?.id).not.toBe(entry?.id)
    },
    { timeout: 20_000 },
  )
  await daemon.answerNext({ decision: 'allow', scope: 'once' })
  expect(await daemon.until(session, 'idle')).toMatchObject({ resumed: 1, turns: 1 })
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one')
})

it('runs a turn under a key once, whatever ends in between', async () => {
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'first')
  const task = { assistant: 'claude', project, worktree: true, allow: ['edit'] }
  const first = await openDaemon()
  const answer = await first.run('k1', {
    ...task,
    prompt: 'say I look\nwrite a.txt one\nsay all done',
  })
  expect(answer).toMatchObject({
    session: { state: 'idle', answer: 'all done', key: 'k1', turns: 1 },
    diff: expect.stringContaining('+one'),
  })
  expect(await first.run('k1', { ...task, prompt: 'say again' })).toEqual(answer)
  // A person's message does not change what the turn left.
  await first.send(answer.session, 'say more')
  await first.until(answer.session, 'idle')
  expect(await first.run('k1', { ...task, prompt: 'x' })).toMatchObject({
    session: { answer: 'all done' },
  })
  const followUp = { session: answer.session.id, prompt: 'say followed' }
  expect(await first.run('k1.2', followUp)).toMatchObject({
    session: { answer: 'followed', turns: 3 },
  })
  // The daemon ends during a turn; the next one goes on with it, and the key finds it.
  const cut = first.run('k2', { ...task, prompt: 'say begun\nwait' })
  cut.catch(() => undefined)
  await expect.poll(() => first.asked()).toContain('prompt say begun')
  await first.stopDaemon()
  const second = await openDaemon()
  const resumed = await second.run('k2', { ...task, prompt: 'say begun\nwait' })
  expect(resumed).toMatchObject({ session: { state: 'idle', resumed: 1, turns: 1 } })
  expect(await second.run('k1', { ...task, prompt: 'x' })).toEqual(answer)
  const prompts = second.asked().filter((line) => line.startsWith('prompt '))
  expect(prompts.map((line) => line.slice(7, 20))).toEqual([
    ...['say I look', 'say more', 'say followed', 'say begun', 'Your program '],
  ])
  // A cancelled run stops its turn; one that is only interrupted does not.
  const cancelling = new AbortController()
  const cancelled = second.run('k3', { ...task, prompt: 'wait' }, cancelling.signal)
  await expect.poll(() => second.asked()).toContain('prompt wait')
  cancelling.abort(new StewardError('run_cancelled', { run: 'r' }))
  await expect(cancelled).rejects.toMatchObject({ code: 'run_cancelled' })
  expect(await second.run('k3', { ...task, prompt: 'wait' })).toMatchObject({
    session: { state: 'stopped', reason: expect.stringContaining('its run ended') },
  })
})

it('stops a session that observers halted', async () => {
  const daemon = await openDaemon()
  const session = await daemon.start('wait')
  const at = new Date().toISOString()
  await writeHalt(daemon.home, {
    session_id: session.id,
    reason: 'it drifted',
    at,
    by: 'observers',
  })
  daemon.bus.publish('events.arrived', {
    events: [{ timestamp: at, session_id: session.id, source: 'tool-activity', type: 'tool_use' }],
  })
  expect(await daemon.until(session, 'stopped')).toMatchObject({
    reason: 'it was halted by observers: it drifted',
  })
})

it('queues turns of actions at the load cap, and answers polls meanwhile', async () => {
  const daemon = await openDaemon({}, { sessions: { mostAtOnce: 1 } })
  const task = { assistant: 'claude', project }
  const running = await daemon.start('wait')
  const body = { key: 'q1', task: { ...task, prompt: 'say first' } }
  const poll = () => daemon.call(API.runSessionTurn, { body: { ...body, waitMs: 1000 } })
  const polled = poll()
  daemon.clock.advance(1000)
  expect(await polled).toEqual({ status: 'queued', session: null, diff: null })
  const again = poll()
  const second = daemon.run('q2', { ...task, prompt: 'say second' })
  await daemon.stop(running)
  expect(await again).toMatchObject({ status: 'ended', session: { answer: 'first' } })
  expect(await second).toMatchObject({ session: { answer: 'second' } })
})

it('keeps no more idle processes than sessions may work at once', async () => {
  const daemon = await openDaemon({}, { sessions: { mostAtOnce: 1 } })
  const first = await daemon.start('say one')
  await daemon.until(first, 'idle')
  expect(isAlive(first)).toBe(true)
  const second = await daemon.start('say two')
  await daemon.until(second, 'idle')
  await expect.poll(() => isAlive(first)).toBe(false)
  expect(isAlive(second)).toBe(true)
  await daemon.send(first, 'say again')
  expect(await daemon.until(first, 'idle')).toMatchObject({ answer: 'again', resumed: 0 })
})

it('decides permissions by guards, writable paths and rules, and commits only writable paths', async () => {
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'first')
  const daemon = await openDaemon()
  const rules = { permissions: 'deny', allow: ['edit *.txt', 'edit *.env'] }
  const lines = ['a.txt', 'a.md', 'b.env', '../../out.txt'].map((file) => `write ${file} x`)
  const session = await daemon.start(lines.join('\n'), { ...rules, worktree: true })
  const done = await daemon.until(session, 'idle')
  expect(daemon.asked().slice(1)).toEqual([
    ...['outcome id-allow_once', 'outcome id-reject_once'],
    ...['outcome id-reject_once', 'outcome id-reject_once'],
  ])
  expect(git('diff', '--name-only', `${done.base}`, `${done.branch}`)).toBe('a.txt')
  const kept = await daemon.start('write docs/x.md y\nsneak other.md z', {
    ...{ worktree: true, allow: ['edit'], writable: ['docs/'] },
  })
  const ended = await daemon.until(kept, 'idle')
  expect(ended.result).toMatchObject({ outside: ['other.md'] })
  expect(git('diff', '--name-only', `${ended.base}`, `${ended.branch}`)).toBe('docs/x.md')
  const refused = await daemon.start('write other.md y', {
    ...{ worktree: true, allow: ['edit'], writable: ['docs'] },
  })
  expect(await daemon.until(refused, 'idle')).toMatchObject({ result: { commit: null } })
  await expect(daemon.start('hi', { writable: ['docs'] })).rejects.toMatchObject({
    message: expect.stringContaining('in a copy or in the sandbox'),
  })
})

it('keeps an assistant in the sandbox to its writable paths', async () => {
  git('init', '--quiet')
  writeFileSync(join(project, 'a.txt'), 'a')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  writeFileSync(join(root, 'secret.txt'), 'secret')
  const daemon = await openDaemon()
  const task = [
    'sneak docs/x.md y',
    'sneak a.txt changed',
    'sneak .git/hooks/post-commit evil',
    `see ${join(root, 'secret.txt')}`,
    'see a.txt',
  ]
  const session = await daemon.start(task.join('\n'), {
    ...{ sandbox: true, writable: ['docs'], check: 'cat docs/x.md; echo z > b.txt' },
  })
  const done = await daemon.until(session, 'idle')
  expect(done.answer).toBe('EROFS EROFS ENOENT a')
  expect(done.result?.check).toMatchObject({ ok: false, output: expect.stringMatching(/^y/) })
  expect(readFileSync(join(project, 'docs/x.md'), 'utf8')).toBe('y')
  expect(existsSync(join(project, '.git/hooks/post-commit'))).toBe(false)
})

it('gives the same task to two assistants in worktrees, and starts none if one cannot be', async () => {
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'first')
  const daemon = await openDaemon()
  const task = { prompt: 'write a.txt one\ncost 0.5\nsay done', project, check: 'cat a.txt' }
  const body = { ...task, allow: ['edit'], permissions: 'deny', assistants: ['claude', 'codex'] }
  const started = comparison.parse(await daemon.call(API.startComparison, { body }))
  for (const { session } of started.sides) await daemon.until(session, 'idle')
  const params = { id: started.id }
  const compared = comparison.parse(await daemon.call(API.getComparison, { params }))
  expect(compared).toMatchObject({ id: started.id, project, prompt: task.prompt })
  expect(compared.sides).toMatchObject(
    ['claude', 'codex'].map((assistant) => ({
      diff: expect.stringContaining('+one'),
      session: { assistant, costUsd: 0.5, result: { check: { ok: true, output: 'one' } } },
    })),
  )
  expect(await daemon.call(API.listDrivenSessions, { query: { limit: '1' } })).toMatchObject({
    sessions: [{ prompt: task.prompt, state: 'idle' }],
  })
  const branches = new Set(compared.sides.map(({ session }) => session.branch))
  expect(branches.size).toBe(2)
  expect(git('rev-list', '--count', '--first-parent', 'HEAD')).toBe('1')
  const refused = { ...body, assistants: ['claude', 'cursor'] }
  await expect(daemon.call(API.startComparison, { body: refused })).rejects.toMatchObject({
    code: 'invalid_input',
  })
  expect(git('branch', '--list', 'steward/*').split('\n')).toHaveLength(2)
  await expect(daemon.call(API.getComparison, { params: { id: 'unknown' } })).rejects.toMatchObject(
    { code: 'not_found' },
  )
})

it('explains why an assistant cannot be started', async () => {
  const daemon = await openDaemon({ SIGNED_OUT: '1' })
  await expect(daemon.start('hi')).rejects.toMatchObject({
    code: 'assistant_not_signed_in',
    message: expect.stringContaining('say hello to it'),
  })
  await expect(daemon.start('hi', { worktree: true })).rejects.toMatchObject({
    code: 'invalid_input',
  })
  await expect(daemon.start('hi', { assistant: 'cursor' })).rejects.toMatchObject({
    code: 'invalid_input',
  })
  const program = { kind: 'adapter', package: '@a/b', version: '1.2.3' } as const
  const missing = { ...SPEC, program }
  expect(() => findProgram(missing, { home: daemon.home, env: {} })).toThrow(
    /needs its adapter @a\/b/,
  )
  const command = { ...SPEC, program: { kind: 'command', names: ['no-such'], args: [] } as const }
  expect(() => findProgram(command, { home: daemon.home, env: {} })).toThrow(/no command no-such/)
})
