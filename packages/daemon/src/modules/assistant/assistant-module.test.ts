import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  API,
  flowSchedule,
  type Route,
  StewardError,
  settings as settingsShape,
  type TaskFiring,
} from '@steward/contract'
import {
  createRedactor,
  ensureHome,
  type Home,
  resolveHome,
  workArchivePath,
} from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { Notice, NoticeSent, RequestedWork, ScheduledFlow, WorkOutcome } from '../../ports.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createAssistantModule } from './assistant-module.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-03-27T12:00:00Z')

let home: Home
let clock: ReturnType<typeof createVirtualClock>
/** How far the wall clock was set back; timers do not follow it. */
let setBackMs = 0
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-assistant-')) })
  await ensureHome(home)
  clock = createVirtualClock()
  setBackMs = 0
  clock.advance(START)
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

/**
 * An assistant on a data home, with an outbox that deduplicates by key and a stand-in that performs
 * work.
 */
const createParts = (given: object = { assistant: { timezone: 'Europe/Berlin' } }) => {
  const lines: string[] = []
  const say = (line: string) => lines.push(line)
  const log = { info: say, warn: say, error: say }
  const bus = createBus(log)
  const told: Notice[] = []
  const outbox = { isStuck: false }
  const send = async (notice: Notice): Promise<NoticeSent> => {
    const isRepeated = told.some(({ key }) => key === notice.key)
    if (!isRepeated) told.push(notice)
    // Stuck: written to disk, but the process dies before it learns so.
    if (outbox.isStuck) return new Promise<never>(() => undefined)
    return { stored: true, ...(isRepeated ? { repeated: true as const } : {}) }
  }
  bus.subscribe('notice', (notice) => void send(notice))
  const work: RequestedWork[] = []
  const worker: {
    answer: () => Promise<WorkOutcome>
    flows: readonly ScheduledFlow[] | undefined
  } = { answer: () => Promise.resolve({ detail: 'did it' }), flows: undefined }
  const topics: string[] = []
  bus.subscribe('live.changed', (message) => topics.push(...message.topics))
  const settings = settingsShape.parse(given)
  let ids = 0
  const module = createAssistantModule({
    home,
    bus,
    notices: { send },
    execution: {
      perform: (wanted) => {
        work.push(wanted)
        return worker.answer()
      },
      listFlows: async () => worker.flows,
      listRuns: async () => [],
    },
    log,
    now: () => clock.now() - setBackMs,
    setTimer: clock.setTimer,
    settings: () => settings,
    redactor: () => createRedactor({ KEY: 'a-very-secret-value' }),
    commandLine: 'steward',
    newId: () => `id${++ids}`,
  })
  const ask = async (
    route: Route,
    parts: { params?: object; query?: object; body?: unknown } = {},
  ) => {
    const handler = module.handlers.find((each) => each.route === route)
    const call = { signal: new AbortController().signal, header: () => undefined }
    const parse = (schema: Route['query'] | Route['body'], value: unknown) => schema?.parse(value)
    return handler?.answer(
      {
        params: parts.params,
        query: parse(route.query, parts.query ?? {}),
        body: parse(route.body, parts.body),
      },
      call,
    )
  }
  const add = async (body: object) =>
    API.createTask.answer.parse(await ask(API.createTask, { body }))
  const historyOf = async (id: string): Promise<TaskFiring[]> =>
    API.getTaskHistory.answer.parse(await ask(API.getTaskHistory, { params: { id } })).firings
  return { module, bus, told, outbox, work, worker, topics, lines, ask, add, historyOf }
}
const flowOf = (name: string, schedule: object): ScheduledFlow => ({
  id: name.toLowerCase(),
  name,
  schedule: flowSchedule.parse(schedule),
  sourceType: 'rss',
})
const notify = { type: 'notify', message: 'it is time' }
const fileOf = (name: string) => join(home.user.assistant, name)
const write = (name: string, text: string | Buffer) => {
  mkdirSync(join(fileOf(name), '..'), { recursive: true })
  writeFileSync(fileOf(name), text)
}
/** Lets the work of one timer reach the disk before the next timer fires. */
const pass = async (ms: number, stepMs = 15_000): Promise<void> => {
  for (let left = ms; left > 0; left -= stepMs) {
    await clock.advanceInTurns(Math.min(left, stepMs))
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('tasks', () => {
  it('fire once at their time, and record it in their history', async () => {
    const { module, add, told, historyOf, topics } = createParts()
    await module.start?.()
    const { id } = await add({ description: 'Tea', schedule: 'in 2 minutes', action: notify })
    expect(told).toEqual([])
    await pass(180_000)
    await expect
      .poll(() => historyOf(id))
      .toMatchObject([{ state: 'done', attempts: 1, detail: 'notified' }])
    expect(told).toMatchObject([
      { message: 'it is time', title: 'Tea', key: `task:${id}:2026-03-27T12:02:00.000Z` },
    ])
    await expect.poll(() => readFileSync(fileOf('tasks.yaml'), 'utf8')).toContain('status: done')
    expect(topics).toContain('assistant')
    await module.stop?.()
  })

  it('notify exactly once if killed between the outbox and the end of the firing', async () => {
    const first = createParts()
    await first.module.start?.()
    const { id } = await first.add({ description: 'Tea', schedule: 'in 1 minute', action: notify })
    first.outbox.isStuck = true
    await pass(90_000)
    await expect.poll(() => first.told.length).toBe(1)
    expect(await first.historyOf(id)).toMatchObject([{ state: 'running' }])
    // Simulates a kill: nothing is stopped. The second instance has an outbox with the same keys.
    const second = createParts()
    second.told.push(...first.told)
    await second.module.start?.()
    await expect
      .poll(() => second.historyOf(id))
      .toMatchObject([{ state: 'done', detail: 'notified before' }])
    expect(second.told).toHaveLength(1)
    await second.module.stop?.()
  })

  it('go on when the clock is set back, and repeat no firing', async () => {
    const parts = createParts()
    await parts.module.start?.()
    const schedule = 'every day at 13:05'
    const { id } = await parts.add({ description: 'Tea', schedule, action: notify })
    /** On a busy machine the disk may take longer than the time that passed. */
    const toldAfter = async (ms: number, stepMs: number): Promise<number> => {
      await pass(ms, stepMs)
      return parts.told.length
    }
    await pass(600_000)
    await expect.poll(() => toldAfter(15_000, 15_000)).toBe(1)
    await expect.poll(() => parts.historyOf(id)).toMatchObject([{ state: 'done' }])
    // The clock was a year ahead by mistake, and then an hour.
    setBackMs = 365 * DAY_MS
    await pass(DAY_MS, 3_600_000)
    await expect.poll(() => toldAfter(60_000, 60_000)).toBe(2)
    setBackMs += 3_600_000
    await pass(2 * 3_600_000, 60_000)
    expect(parts.told.map(({ key }) => key)).toEqual([
      `task:${id}:2026-03-27T12:05:00.000Z`,
      `task:${id}:2025-03-28T12:05:00.000Z`,
    ])
    await pass(DAY_MS, 3_600_000)
    await expect.poll(() => toldAfter(60_000, 60_000)).toBe(3)
    await parts.module.stop?.()
  })

  it('are retried after a crash or not, as configured', async () => {
    const first = createParts()
    await first.module.start?.()
    first.worker.answer = () => new Promise(() => undefined)
    const prompt = { type: 'prompt', prompt: 'what now' }
    const again = await first.add({ description: 'a', schedule: 'in 1 minute', action: prompt })
    const never = await first.add({
      description: 'b',
      schedule: 'in 1 minute',
      action: prompt,
      onInterrupted: 'skip',
    })
    await pass(90_000)
    await expect.poll(() => first.work.length).toBe(2)
    const second = createParts()
    await second.module.start?.()
    await expect
      .poll(() => second.historyOf(again.id))
      .toMatchObject([{ state: 'done', attempts: 2 }])
    expect(await second.historyOf(never.id)).toMatchObject([{ state: 'interrupted', attempts: 1 }])
    const key = `task:${again.id}:2026-03-27T12:01:00.000Z`
    expect(second.work).toMatchObject([{ type: 'prompt', key }])
    await second.module.stop?.()
  })

  it.each([
    ['once', 1, ['done', 'missed', 'missed']],
    ['all', 3, ['done', 'done', 'done']],
    ['skip', 0, ['missed', 'missed', 'missed']],
  ])('catch up %s after days away, over a clock change', async (catchUp, count, states) => {
    const first = createParts()
    await first.module.start?.()
    const schedule = 'every day at 2:30'
    const { id } = await first.add({ description: 'x', schedule, action: notify, catchUp })
    await first.module.stop?.()
    clock.advance(3 * DAY_MS)
    const second = createParts()
    await second.module.start?.()
    await expect
      .poll(async () => (await second.historyOf(id)).map(({ state }) => state))
      .toEqual(states)
    expect(second.told).toHaveLength(count)
    expect((await second.historyOf(id)).map(({ due }) => due)).toEqual([
      '2026-03-30T00:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-28T01:30:00.000Z',
    ])
    await second.module.stop?.()
  })

  it('list flows with their next run, and as manual if nothing runs them here', async () => {
    const { module, ask, worker } = createParts()
    await module.start?.()
    worker.flows = [
      flowOf('F_ONE', { intervalMinutes: 5 }),
      flowOf('F_TWO', { intervalMinutes: 60, enabled: false }),
      flowOf('F_THREE', { at: '07:00', days: 'mon-fri', runsOn: 'here' }),
      flowOf('F_FOUR', { every: '2h', runsOn: 'here', enabled: false }),
      flowOf('F_FIVE', { at: '07:00', timezone: 'America/New_York', runsOn: 'here' }),
      { ...flowOf('F_SIX', { every: '2h', runsOn: 'here' }), sourceType: 'webhook' },
      { ...flowOf('F_SEVEN', { every: '2h' }), sourceType: 'webhook' },
    ]
    const { tasks } = API.listTasks.answer.parse(await ask(API.listTasks))
    const flows = tasks.filter(({ name }) => name.startsWith('F_'))
    expect(flows.map(({ name, status, schedule, next }) => [name, status, schedule, next])).toEqual(
      [
        ['F_ONE', 'manual here', 'every 5 minutes on the edge', null],
        ['F_TWO', 'disabled', 'every hour on the edge', null],
        [
          'F_THREE',
          'active',
          'every weekday (Monday to Friday) at 07:00',
          '2026-03-30T07:00:00+02:00',
        ],
        ['F_FOUR', 'disabled', 'every 2 hours', null],
        ['F_FIVE', 'active', 'every day at 07:00 (America/New_York)', '2026-03-28T07:00:00-04:00'],
        [
          'F_SIX',
          'active',
          'when its webhook is called; failed items every 2 hours',
          '2026-03-27T15:00:00+01:00',
        ],
        ['F_SEVEN', 'active', 'when its webhook is called', null],
      ],
    )
    await module.stop?.()
  })

  it('that fail are reported without secrets; the others continue', async () => {
    const { module, add, told, worker, historyOf } = createParts()
    await module.start?.()
    worker.answer = () => Promise.reject(new Error('no such flow'))
    const { id } = await add({ description: 'Digest', action: { type: 'flow', flow: 'F_X' } })
    await pass(60_000)
    await expect
      .poll(() => historyOf(id))
      .toMatchObject([{ state: 'failed', detail: 'no such flow' }])
    expect(told).toMatchObject([{ kind: 'error', message: 'Digest: no such flow' }])
    // The run of a flow notifies of its failure itself.
    const failed = { action: 'F_X', reason: 'run 1: 3 failed', isNotified: true }
    worker.answer = () => Promise.reject(new StewardError('action_failed', failed))
    const notified = await add({ description: 'Digest', action: { type: 'flow', flow: 'F_X' } })
    await pass(60_000)
    await expect.poll(() => historyOf(notified.id)).toMatchObject([{ state: 'failed' }])
    expect(told).toHaveLength(1)
    worker.answer = () => Promise.resolve({ detail: 'a-very-secret-value' })
    const next = await add({ description: 'Digest', action: { type: 'flow', flow: 'F_X' } })
    await pass(60_000)
    await expect.poll(() => historyOf(next.id)).toMatchObject([{ detail: '[redacted:KEY]' }])
    await module.stop?.()
  })

  it('are refused with a reason, and nothing is written', async () => {
    const { module, ask, add } = createParts()
    await module.start?.()
    const script = { type: 'script', command: ['ls'] }
    for (const [body, reason] of [
      [{ description: 'x', schedule: 'someday', action: notify }, /someday.* not understood/],
      [{ description: 'x', schedule: { cron: '61 * * * *' }, action: notify }, /found 61/],
      [
        { description: 'x', schedule: { at: '2020-01-01T00:00' }, action: notify },
        /is in the past/,
      ],
      [{ description: 'x', timezone: 'Mars/X', action: notify }, /not a time zone/],
      [{ description: 'x', action: script }, /allowScripts/],
    ] as const) {
      await expect(ask(API.createTask, { body })).rejects.toThrow(reason)
    }
    expect(() => readFileSync(fileOf('tasks.yaml'))).toThrow()
    await expect(ask(API.cancelTask, { params: { id: 'x' } })).rejects.toMatchObject({
      code: 'not_found',
    })
    await add({ description: 'tea one', schedule: 'tomorrow', action: notify })
    await add({ description: 'tea two', schedule: 'tomorrow', action: notify })
    await expect(ask(API.cancelTask, { params: { id: 'tea' } })).rejects.toMatchObject({
      status: 409,
    })
    await module.stop?.()
  })

  it('keep comments in the file; an entry that is wrong is named and the others go on', async () => {
    write(
      'tasks.yaml',
      `# mine\ntasks:\n  - id: tea # the best\n    description: Tea\n    schedule: {cron: "0 9 * * *"}\n    action: {type: notify, message: tea}\n  - id: broken\n`,
    )
    const { module, ask } = createParts()
    await module.start?.()
    const list = async () => API.listTasks.answer.parse(await ask(API.listTasks))
    expect(await list()).toMatchObject({
      tasks: [{ name: 'Tea', next: '2026-03-28T09:00:00+01:00' }, { name: 'diary' }],
      problems: [expect.stringContaining('entry 2: description')],
    })
    await ask(API.cancelTask, { params: { id: 'te' } })
    expect(readFileSync(fileOf('tasks.yaml'), 'utf8')).toMatch(
      /# mine\n[\s\S]*# the best[\s\S]*status: cancelled/,
    )
    expect((await list()).tasks).toHaveLength(1)
    write('tasks.yaml', 'a: &a [x]\nb: [*a, *a]\ntasks: *a\n')
    await expect(list()).rejects.toMatchObject({ code: 'assistant_unreadable', status: 503 })
    write('tasks.yaml', `tasks: ${'['.repeat(10_000)}`)
    await expect(list()).rejects.toMatchObject({ code: 'assistant_unreadable' })
    await module.stop?.()
  })

  it('are listed together with the crons of sessions until the session ends', async () => {
    const cron = { id: 'c1', schedule: '*/5 * * * *', recurring: true, prompt: 'Look\nat it' }
    const once = { id: 'c2', schedule: '30 13 27 3 *', recurring: false, prompt: 'Tea' }
    const row = (session_id: string, minutes: number, more: object) => ({
      timestamp: new Date(START + minutes * 60_000).toISOString(),
      source: 'tool-activity' as const,
      session_id,
      host: 'claude',
      type: 'turn_end',
      ...more,
    })
    const before = [
      row('s1', -10, { session_crons: [cron, once] }),
      row('s2', -9, { session_crons: [{ ...cron, schedule: 'soon', prompt: '' }] }),
      row('old', -8 * 24 * 60, { session_crons: [cron] }),
      row('s3', -5, { session_crons: [cron] }),
      row('s3', -4, { type: 'session_end' }),
      row('s4', -3, { session_crons: [{ schedule: 5 }] }),
    ]
    mkdirSync(home.observability, { recursive: true })
    const log = join(home.observability, 'tool-activity.jsonl')
    writeFileSync(log, before.map((each) => `${JSON.stringify(each)}\n`).join(''))
    const { module, ask, bus, topics } = createParts()
    await module.start?.()
    const list = async () => {
      const { tasks, by_source } = API.listTasks.answer.parse(await ask(API.listTasks))
      return { rows: tasks.filter(({ source }) => source === 'claude-code'), by_source }
    }
    expect(await list()).toMatchObject({
      by_source: { pulse: 1, 'claude-code': 3 },
      rows: [
        {
          name: 'Look',
          schedule: 'by cron */5 * * * *',
          next: '2026-03-27T13:05:00+01:00',
          details: { note: expect.stringContaining('session s1') },
        },
        { name: 'Tea', schedule: 'once, at 2026-03-27 13:30' },
        { name: 'a prompt without words', schedule: 'soon', next: null },
      ],
    })
    clock.advance(31 * 60_000)
    expect((await list()).rows.map(({ name }) => name)).toEqual(['Look', 'a prompt without words'])
    const arrive = (...events: ReturnType<typeof row>[]) =>
      bus.publish('events.arrived', { events })
    topics.splice(0)
    arrive(row('s1', -11, { session_crons: [] }), row('s1', 1, {}))
    expect((await list()).rows).toHaveLength(2)
    expect(topics).toEqual([])
    arrive(row('s1', 2, { session_crons: [] }), row('s2', 3, { type: 'session_end' }))
    expect((await list()).rows).toEqual([])
    expect(topics).toContain('assistant')
    await module.stop?.()
  })

  it('that must be asked about wait for the answer', async () => {
    write('personality.yaml', 'autonomy:\n  must_ask: [notify]\n')
    const { module, add, ask, told } = createParts()
    await module.start?.()
    const { id, status, requires_confirmation } = await add({ description: 'x', action: notify })
    expect({ status, requires_confirmation }).toEqual({
      status: 'pending_approval',
      requires_confirmation: true,
    })
    await pass(60_000)
    expect(told).toEqual([])
    await ask(API.approveTask, { params: { id }, body: {} })
    await pass(60_000)
    await expect.poll(() => told.length).toBe(1)
    await module.stop?.()
  })
})

describe('identity', () => {
  it('has defaults, then the settings, then its file', async () => {
    const named = createParts({ daidentity: { name: 'Ada' } })
    const read = async () =>
      API.getAssistantIdentity.answer.parse(await named.ask(API.getAssistantIdentity))
    expect(await read()).toMatchObject({ name: 'Ada', display_name: 'Ada', has_avatar: false })
    write('identity.md', '---\nname: Kai\ncolor: "#112233"\n---\nBorn in a shell.\n')
    expect(await read()).toMatchObject({ name: 'Kai', origin_story: 'Born in a shell.' })
    write('identity.md', '---\nname: [\n---\n')
    await expect(read()).rejects.toMatchObject({ status: 503 })
    const health = await named.ask(API.getAssistantHealth)
    expect(health).toMatchObject({ status: 'degraded', identity_loaded: false })
  })

  it('changes traits and keeps comments', async () => {
    write('personality.yaml', '# me\ntraits:\n  warmth: 10 # cold\n  wit: 5\n')
    const { ask } = createParts()
    await ask(API.updateTraits, { body: { warmth: 70, wit: 99 } })
    const text = '# me\ntraits:\n  warmth: 70 # cold\n  wit: 99\n'
    expect(readFileSync(fileOf('personality.yaml'), 'utf8')).toBe(text)
    await expect(ask(API.updateTraits, { body: { warmht: 1 } })).rejects.toThrow(
      'did you mean warmth',
    )
    await expect(ask(API.updateTraits, { body: JSON.parse('{"__proto__x": 1}') })).rejects.toThrow(
      'no trait',
    )
    expect(readFileSync(fileOf('personality.yaml'), 'utf8')).toBe(text)
    expect(await ask(API.getPersonality)).toMatchObject({ traits: { warmth: 70, energy: 60 } })
  })

  it('serves a picture that cannot run scripts', async () => {
    const { ask } = createParts({ daidentity: { name: '<script>alert(1)</script>' } })
    const show = async () => {
      const answer = await ask(API.getAvatar)
      if (!(answer instanceof Response)) throw new Error('no response')
      return { headers: answer.headers, text: await answer.text() }
    }
    const drawn = await show()
    expect(drawn.text).not.toContain('<script')
    expect(drawn.headers.get('content-security-policy')).toContain('sandbox')
    expect((await show()).text).toBe(drawn.text)
    write('avatar.png', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'))
    expect((await show()).headers.get('content-type')).toBe('image/png')
    write('avatar.png', '<svg onload="x">')
    await expect(show()).rejects.toMatchObject({ code: 'rejected_content' })
    write('avatar.png', Buffer.alloc(3 * 1024 * 1024))
    await expect(show()).rejects.toMatchObject({ status: 413 })
    rmSync(fileOf('avatar.png'))
    symlinkSync(home.token, fileOf('avatar.svg'))
    await expect(show()).rejects.toThrow('it is a link')
  })
})

describe('diary', () => {
  const rate = (rating: number, timestamp: string) => {
    const folder = join(home.learning, 'SIGNALS')
    mkdirSync(folder, { recursive: true })
    const row = { timestamp, rating, session_id: 's', comment: 'well <b>done</b>' }
    appendFileSync(join(folder, 'ratings.jsonl'), `${JSON.stringify(row)}\n`)
  }
  const log = (name: string, row: object) => {
    mkdirSync(home.observability, { recursive: true })
    appendFileSync(
      join(home.observability, name),
      `${JSON.stringify({ session_id: 's', ...row })}\n`,
    )
  }

  it('is a page for each day on which something happened, from the counts of that day', async () => {
    const timestamp = '2026-03-26T23:30:00+01:00'
    log('tool-activity.jsonl', { timestamp, type: 'user_prompt', prompt: 'x' })
    log('tool-activity.jsonl', { timestamp, tool_name: 'Bash' })
    log('tool-failures.jsonl', { timestamp, tool_name: 'Bash', error: 'x' })
    log('tool-activity.jsonl', { timestamp: '2026-03-27T00:30:00+01:00', type: 'user_prompt' })
    rate(9, timestamp)
    const session = (task: string) => ({ task, started: timestamp, updatedAt: timestamp })
    const archived = { slug: 'over', entry: session('Over and archived') }
    writeFileSync(workArchivePath(home), `${JSON.stringify(archived)}\n`)
    writeFileSync(home.workState, JSON.stringify({ sessions: { open: session('Still open') } }))
    const { module, ask } = createParts()
    await module.start?.()
    const read = async () => API.listDiary.answer.parse(await ask(API.listDiary))
    await expect.poll(async () => (await read()).entries.length).toBe(1)
    const { entries } = await read()
    expect(entries[0]).toMatchObject({
      date: '2026-03-26',
      interaction_count: 1,
      topics: ['Over and archived', 'Still open'],
      mood: 'positive',
      avg_rating: 9,
      notable_moments: ['rated 9: well bdone/b'],
      text: expect.stringContaining('1 prompt and 1 tool call'),
    })
    expect(entries[0]?.text).toContain('1 failed tool call: Bash 1.')
    await pass(13 * 3_600_000, 600_000)
    await expect.poll(async () => (await read()).entries.length).toBe(2)
    await module.stop?.()
  }, 30_000)

  it.each([
    ['a model', { detail: 'A calm day.\n<b>Key</b>: a-very-secret-value', model: 'small-1' }],
    ['none', undefined],
  ])('has a summary on top when it is wanted and there is a model: %s', async (_, answer) => {
    log('tool-activity.jsonl', { timestamp: '2026-03-26T10:00:00Z', type: 'user_prompt' })
    const assistant = { timezone: 'Europe/Berlin', diary: { summary: true } }
    const { module, ask, worker, work, lines } = createParts({ assistant })
    worker.answer = () =>
      answer === undefined ? Promise.reject(new Error('no model')) : Promise.resolve(answer)
    await module.start?.()
    const read = async () => API.listDiary.answer.parse(await ask(API.listDiary)).entries
    await expect.poll(async () => (await read()).length).toBe(1)
    const text = (await read())[0]?.text ?? ''
    const summary = '> A calm day. bKey/b: [redacted:KEY]\n> (summed up by small-1)\n\n'
    expect(text).toContain(answer === undefined ? '# 2026-03-26\n\n- 1 prompt' : summary)
    expect(work).toMatchObject([
      { type: 'prompt', key: 'diary:2026-03-26', needsModel: true, tier: 'fast' },
    ])
    expect(JSON.stringify(work)).toContain('1 prompt and 0 tool calls in 0 sessions.')
    expect(lines.some((line) => line.includes('has no summary: no model'))).toBe(!answer)
    await module.stop?.()
  })

  it('counts ratings as evidence once, and moves its confidence by the rule', async () => {
    rate(9, '2026-03-26T10:00:00Z')
    rate(8, '2026-03-26T11:00:00Z')
    rate(2, '2026-03-26T12:00:00Z')
    rate(6, '2026-03-26T13:00:00Z')
    for (const _ of [1, 2]) {
      const { module, ask } = createParts()
      await module.start?.()
      expect(await ask(API.listOpinions)).toMatchObject({
        opinions: [
          { id: 'our-work-goes-well', for: 2, against: 1, confidence: 0.6, evidence_count: 3 },
        ],
      })
      await module.stop?.()
    }
    const { module, ask } = createParts()
    await module.start?.()
    const added = API.addOpinion.answer.parse(
      await ask(API.addOpinion, { body: { topic: 'tests', position: 'Few is fine' } }),
    )
    expect(added.confidence).toBe(0.5)
    const say = (stance: string, key: string) =>
      ask(API.addEvidence, { params: { id: added.id }, body: { stance, key } })
    expect(await say('against', 'a')).toMatchObject({ confidence: 0.333 })
    expect(await say('against', 'a')).toMatchObject({ confidence: 0.333 })
    expect(await say('for', 'b')).toMatchObject({ confidence: 0.5 })
    await expect(
      ask(API.addEvidence, { params: { id: 'no' }, body: { stance: 'for' } }),
    ).rejects.toMatchObject({ code: 'not_found' })
    await module.stop?.()
  })
})
