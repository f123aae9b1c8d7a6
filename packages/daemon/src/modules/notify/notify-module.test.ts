import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, LIMITS, type StewardEvent } from '@steward/contract'
import { eventLogPath, rememberTab } from '@steward/notify'
import { describe, expect, it } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../../platform/src/redaction/testing/held-back-rates.ts'
import {
  findLeaks,
  SECRET_FORMS,
  SINK_CASES,
} from '../../../../platform/src/redaction/testing/secret-forms.ts'
import { acceptAll, iso, NOW, openNotify } from './testing/open-notify.ts'

const MINUTE_MS = 60_000

const session = (fields: object = {}) => ({
  task: 'repair the roof',
  sessionUUID: 'u1',
  mode: 'starting',
  phase: 'starting',
  updatedAt: iso(NOW - MINUTE_MS),
  ...fields,
})

describe('POST /notify', () => {
  it('passes everything to the voice and returns its answer', async () => {
    const { call, announced } = await openNotify({ voice: acceptAll({ truncated: true }) })
    const body = {
      message: ' "hello" `x` $(rm -rf) שלום 🚀\nline ',
      voice_id: 'v',
      agent: 'Ada',
      title: 'T',
      volume: 0.5,
      other: 'kept by nobody',
    }
    expect(await call(API.notify, { body })).toEqual({
      status: 'success',
      message: 'Notification queued',
      queued: true,
      id: 'v1',
      queue_depth: 1,
      truncated: true,
    })
    expect(announced[0]?.announcement).toEqual({
      message: '"hello" `x` $(rm -rf) שלום 🚀\nline',
      voice_id: 'v',
      agent: 'Ada',
      title: 'T',
      volume: 0.5,
    })
  })

  it('accepts the empty voice that clients without a configured one send', async () => {
    const { call, announced } = await openNotify({ voice: acceptAll() })
    const body = { message: 'done', voice_id: '', voice_enabled: true }
    expect(await call(API.notify, { body })).toMatchObject({ status: 'success', queued: true })
    expect(announced[0]?.announcement).toMatchObject({ message: 'done', voice_id: '' })
  })

  it('reports when there is no voice', async () => {
    const { call } = await openNotify()
    expect(await call(API.notify, { body: { message: 'x' } })).toMatchObject({
      status: 'success',
      queued: false,
      id: 'id-1',
      message: 'Not spoken: no voice module is running',
    })
  })

  it('uses the own voice for its other names', async () => {
    const { call, announced } = await openNotify({ voice: acceptAll() })
    for (const route of [API.notifyPersonality, API.postVoice]) {
      await call(route, { body: { message: 'x', voice_id: 'v', voice_name: 'n', agent: 'a' } })
      expect(announced.at(-1)?.announcement).toEqual({ message: 'x' })
    }
  })

  it('speaks in character when asked to: the traits shift the own voice', async () => {
    const voices = { main: { voiceId: 'own', stability: 0.9 } }
    const { call, announced } = await openNotify({
      settings: { daidentity: { voices } },
      voice: acceptAll(),
      say: async (message) => ({ message: `${message}!`, change: { stability: 0.3, speed: -0.1 } }),
    })
    await call(API.notifyPersonality, { body: { message: 'x', voice_id: 'v' } })
    expect(announced[0]?.announcement).toEqual({
      message: 'x!',
      voice_settings: { stability: 1, speed: 0.9, similarity_boost: 0.75 },
    })
  })

  it('accepts exactly the limit and no byte more', async () => {
    const { call, announced } = await openNotify({ voice: acceptAll() })
    const limit = LIMITS.notifyMessageBytes
    await call(API.notify, { body: { message: 'a'.repeat(limit) } })
    const tooMuch = call(API.notify, { body: { message: 'é'.repeat(limit / 2 + 1) } })
    await expect(tooMuch).rejects.toMatchObject({
      code: 'payload_too_large',
      details: { field: 'message' },
    })
    expect(announced).toHaveLength(1)
  })
})

describe('phases', () => {
  it('go to the slug, then to the session, then to the last one updated', async () => {
    const { call, writeWork, readWork } = await openNotify({ voice: acceptAll() })
    writeWork({
      a: session(),
      b: session({ sessionUUID: 'u2', updatedAt: iso(NOW - 5 * MINUTE_MS) }),
      c: session({ sessionUUID: 'u3', updatedAt: iso(NOW - 9 * MINUTE_MS) }),
    })
    const write = async (body: object) =>
      call(API.notify, { body: { message: 'x', phase: 'BUILD', ...body } })
    expect(await write({ slug: 'c', session_id: 'u1' })).toMatchObject({
      phase: { written: true, slug: 'c' },
    })
    expect(await write({ session_id: 'u2' })).toMatchObject({ phase: { written: true, slug: 'b' } })
    expect(await write({})).toMatchObject({ phase: { written: true } })
    expect(await write({ slug: 'gone' })).toMatchObject({
      queued: true,
      phase: { written: false, reason: 'unknown_slug' },
    })
    expect(readWork()).toMatchObject({
      sessions: {
        b: { phase: 'build', phaseHistory: [{ phase: 'BUILD', source: 'voice' }] },
        c: { phase: 'build', phaseHistory: [{ phase: 'BUILD', source: 'voice' }] },
      },
    })
  })

  it('of many callers at once are all written, in their order', async () => {
    const { call, writeWork, readWork } = await openNotify({ voice: acceptAll() })
    writeWork(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`s${n}`, session({ sessionUUID: `u${n}` })]),
      ),
    )
    const phases = ['OBSERVE', 'THINK', 'PLAN'] as const
    const answers = await Promise.all(
      phases.flatMap((phase) =>
        Array.from({ length: 40 }, (_, n) =>
          call(API.notify, { body: { message: 'x', phase, slug: `s${n}` } }),
        ),
      ),
    )
    expect(answers).toHaveLength(120)
    for (const answer of answers) expect(answer).toMatchObject({ phase: { written: true } })
    const history = phases.map((phase) => ({ phase }))
    expect(readWork()).toMatchObject({
      sessions: { s0: { phase: 'plan', phaseHistory: history }, s39: { phaseHistory: history } },
    })
  })

  it('that cannot be written are reported, and the next one works', async () => {
    const { call, home, module, lines } = await openNotify({ voice: acceptAll() })
    writeFileSync(home.workState, '{')
    const body = { message: 'x', phase: 'BUILD' }
    expect(await call(API.notify, { body })).toMatchObject({
      queued: true,
      phase: { written: false, reason: 'state_unreadable' },
    })
    expect(module.health()).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('phases cannot be written')],
    })
    expect(lines.join('\n')).toContain('phases cannot be written')
    expect(await call(API.notify, { body })).toMatchObject({
      phase: { written: false, reason: 'no_active_session' },
    })
    expect(module.health().status).toBe('ok')
  })

  it('show in the tab of their session and in no other', async () => {
    const { call, writeWork, home, shown, module } = await openNotify({ voice: acceptAll() })
    writeWork({ a: session({ sessionName: 'Fix\u001b Roof' }), b: session({ sessionUUID: 'u2' }) })
    await rememberTab(home, 'u1', { kind: 'kitty', listenOn: 'unix:/run/k', windowId: '7' }, NOW)
    await call(API.notify, { body: { message: 'x', phase: 'BUILD', slug: 'b' } })
    await call(API.notify, { body: { message: 'x', phase: 'BUILD', slug: 'a' } })
    await module.stop?.()
    expect(shown[0]).toEqual([
      'kitten',
      '@',
      '--to=unix:/run/k',
      'set-tab-title',
      '--match=window_id:7',
      '🔨 Fix Roof',
    ])
    expect(shown).toHaveLength(3)
    const logged = readFileSync(eventLogPath(home), 'utf8').trim().split('\n')
    expect(logged.map((line): unknown => JSON.parse(line))).toMatchObject([
      { session_id: 'u2', source: 'voice', type: 'algorithm.phase', slug: 'b', phase: 'BUILD' },
      { session_id: 'u1', type: 'algorithm.phase', slug: 'a' },
    ])
    expect(module.health()).toMatchObject({ tabs: { updated: 1, failed: 0 } })
  })
})

describe('channels', () => {
  it('are chosen by kind; a request without a kind uses none', async () => {
    const { call } = await openNotify({ voice: acceptAll() })
    await call(API.notify, { body: { message: 'only spoken' } })
    await call(API.notify, { body: { message: 'broken Sup3rSecret', kind: 'error', title: 'E' } })
    await call(API.notify, { body: { message: 'alarm', kind: 'security' } })
    await call(API.notify, { body: { message: 'done', kind: 'taskComplete' } })
    await call(API.notify, { body: { message: 'ok', kind: 'backgroundAgent', agent: 'Ada' } })
    const listed = await call(API.listDeliveries, { query: { limit: '10' } })
    expect(API.listDeliveries.answer.parse(listed).deliveries.toReversed()).toMatchObject([
      { channel: 'push', kind: 'error', title: 'E', priority: 4, session_id: null },
      { channel: 'push', kind: 'security', priority: 5, message: 'alarm' },
      { channel: 'chat', kind: 'security' },
      { channel: 'push', kind: 'backgroundAgent', title: 'Ada' },
    ])
    expect(JSON.stringify(listed)).not.toContain('Sup3rSecret')
  })

  it('get notices of other modules; errors and security are spoken too', async () => {
    const { bus, notifier, announced } = await openNotify({ voice: acceptAll() })
    bus.publish('notice', { kind: 'watchdog', message: 'silent agent', session_id: 's' })
    bus.publish('notice', { kind: 'backgroundAgent', message: 'Tides is done', title: 'Tides' })
    bus.publish('notice', { kind: 'error', message: 'disk full' })
    bus.publish('notice', { kind: 'security', message: 'blocked' })
    await expect
      .poll(() =>
        notifier.deliveries(10).map(({ kind, channel, sessionId }) => [kind, channel, sessionId]),
      )
      .toEqual(
        expect.arrayContaining([
          ['backgroundAgent', 'push', 's'],
          ['backgroundAgent', 'push', null],
          ['error', 'push', null],
          ['security', 'push', null],
          ['security', 'chat', null],
        ]),
      )
    await expect
      .poll(() => announced.map(({ announcement }) => announcement.message))
      .toEqual(['disk full', 'blocked'])
  })

  it('send a notice with a key once, on channels and aloud, and report when it is on disk', async () => {
    const { module, notifier, announced } = await openNotify({ voice: acceptAll() })
    const tell = (kind: 'error' | 'longTask', key: string, message: string) =>
      module.notices.send({ kind, message, title: 'F_NEWS', key })
    expect(await tell('error', 'run/1', 'F_NEWS failed')).toMatchObject({ stored: true })
    expect(notifier.deliveries(9)).toMatchObject([{ kind: 'error', title: 'F_NEWS' }])
    expect(await tell('error', 'run/1', 'F_NEWS failed, as was said')).toMatchObject({
      stored: true,
      repeated: true,
    })
    await tell('longTask', 'run/2', 'F_NEWS is done')
    expect(notifier.deliveries(9).map(({ kind }) => kind)).toEqual(['longTask', 'error'])
    expect(announced.map(({ announcement }) => announcement.message)).toEqual([
      'F_NEWS failed',
      'F_NEWS is done',
    ])
    await module.stop?.()
    expect(await tell('error', 'run/3', 'F_NEWS failed')).toEqual({
      stored: false,
      reason: 'no notifications module is running',
    })
  })

  it('send a failed notification again on request, once', async () => {
    const { call, notifier } = await openNotify()
    const retry = (id: string) => call(API.retryDelivery, { params: { id }, body: {} })
    await notifier.test('push')
    const [failed] = notifier.deliveries(1)
    expect(failed).toMatchObject({ state: 'failed' })
    const id = failed?.id ?? ''
    const answers = await Promise.allSettled([retry(id), retry(id)])
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { id, sends_at: expect.any(String) } },
      { status: 'rejected', reason: { code: 'invalid_input' } },
    ])
    expect(notifier.deliveries(9)).toMatchObject([{ id, state: 'waiting', attempts: 0 }])
    await expect(retry('gone')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('test a channel, and the voice', async () => {
    const { call, announced, runTimers } = await openNotify({ voice: acceptAll() })
    expect(await call(API.testChannel, { body: { channel: 'push' } })).toMatchObject({
      delivered: false,
      detail: expect.stringContaining('the push server'),
    })
    const spoken = call(API.testChannel, { body: { channel: 'voice' } })
    announced[0]?.ended?.({ outcome: 'spoken', detail: 'espeak-ng' })
    expect(await spoken).toEqual({ delivered: true, detail: 'espeak-ng' })
    const late = call(API.testChannel, { body: { channel: 'voice' } })
    runTimers()
    expect(await late).toMatchObject({
      delivered: false,
      detail: expect.stringContaining('still waiting'),
    })
    const silent = await openNotify()
    expect(await silent.call(API.testChannel, { body: { channel: 'voice' } })).toEqual({
      delivered: false,
      detail: 'no voice module is running',
    })
  })
})

describe('sessions that end', () => {
  const row = (type: string, fields: object = {}): StewardEvent => ({
    timestamp: iso(NOW),
    session_id: 's',
    source: 'tool-activity',
    type,
    ...fields,
  })
  const kinds = (open: Awaited<ReturnType<typeof openNotify>>) =>
    open.notifier
      .deliveries(10)
      .toReversed()
      .map(({ kind, title, message }) => [kind, title, message])

  it('are long when they took longer than the threshold, each by its own clock', async () => {
    const open = await openNotify()
    const { bus, advance } = open
    bus.publish('events.arrived', { events: [row('user_prompt')] })
    advance(4 * MINUTE_MS)
    bus.publish('events.arrived', { events: [row('user_prompt', { session_id: 'short' })] })
    advance(2 * MINUTE_MS)
    const message_preview = 'Well.\n🗣️ The roof is tight.'
    bus.publish('events.arrived', {
      events: [
        row('stop', { session_id: 'short' }),
        row('turn_end', { message_preview, agent_id: null }),
      ],
    })
    // The completion hook reports the same a moment later, which must not count as a second
    // longTask.
    await open.call(API.notify, {
      body: { message: 'The roof is tight.', kind: 'taskComplete', session_id: 's' },
    })
    await expect
      .poll(() => kinds(open))
      .toEqual([['longTask', expect.any(String), 'The roof is tight.']])
  })

  it('use their marked line, or else the beginning of the last message', async () => {
    const open = await openNotify()
    const ends = ['A plain end\nand more', '', '🗣️ no', 'x'.repeat(500)]
    for (const [n, last_assistant_message] of ends.entries()) {
      const session_id = `s${n}`
      open.bus.publish('events.arrived', { events: [row('user_prompt', { session_id })] })
      open.advance(6 * MINUTE_MS)
      const events = [row('stop', { session_id, last_assistant_message })]
      open.bus.publish('events.arrived', { events })
    }
    // The end of a subagent is not the end of its session.
    open.bus.publish('events.arrived', { events: [row('user_prompt')] })
    open.advance(6 * MINUTE_MS)
    open.bus.publish('events.arrived', { events: [row('stop', { agent_id: 'a' })] })
    await expect
      .poll(() => kinds(open).map(([, , message]) => message))
      .toEqual(['A plain end', 'The assistant has finished.', '🗣️ no', 'x'.repeat(200)])
  })

  it('are announced when the work in the background has ended, not before', async () => {
    const open = await openNotify({ voice: acceptAll() })
    const publish = (...events: StewardEvent[]) => open.bus.publish('events.arrived', { events })
    const agent = { source: 'subagent' as const, subagent_id: 'a', agent_id: 'a' }
    publish(row('user_prompt'), row('user_prompt', { session_id: 'other' }))
    open.advance(6 * MINUTE_MS)
    const spoken_line = 'The agents are at work.'
    publish(row('turn_end', { background_tasks: 1, spoken_line }))
    // This assistant does not list what runs on.
    publish(row('subagent_start', { ...agent, session_id: 'other' }))
    publish(row('turn_end', { session_id: 'other', spoken_line: 'The other roof is tight.' }))
    expect(kinds(open)).toEqual([])
    publish(row('subagent_stop', { ...agent, session_id: 'other' }))
    await expect.poll(() => open.announced).toHaveLength(1)
    publish(row('turn_end', { background_tasks: 0, message_preview: 'The roof is tight. Bye.' }))
    await expect
      .poll(() => kinds(open).map(([kind, , message]) => [kind, message]))
      .toEqual([
        ['longTask', 'The other roof is tight.'],
        ['longTask', 'The roof is tight.'],
      ])
    await expect
      .poll(() => open.announced.map(({ announcement: { message } }) => message))
      .toEqual(['The other roof is tight.', 'The roof is tight.'])
  })

  it('are errors if they failed; background agents are reported', async () => {
    const open = await openNotify({ voice: acceptAll() })
    const agent = { source: 'subagent' as const, subagent_type: 'Engineer', description: 'tiles' }
    open.bus.publish('events.arrived', {
      events: [
        row('stop_failure', { error: 'overloaded' }),
        row('subagent_start', { ...agent, subagent_id: 'front' }),
        row('subagent_stop', { ...agent, subagent_id: 'front' }),
        row('subagent_spawned_async', { ...agent, subagent_id: 'back' }),
        row('subagent_stop', { ...agent, subagent_id: 'back' }),
        row('subagent_stop', { ...agent, subagent_id: 'back' }),
        row('stop', { session_id: '' }),
      ],
    })
    await expect
      .poll(() => kinds(open))
      .toEqual([
        ['error', expect.any(String), 'The session stopped: overloaded'],
        ['backgroundAgent', 'Engineer', 'Finished: tiles'],
      ])
    expect(open.announced.map(({ announcement }) => announcement)).toEqual([
      { message: 'The session stopped: overloaded', kind: 'error', session_id: 's' },
    ])
  })
})

it('POST /notify leaves no form of a secret in any file', async () => {
  const { call, home, notifier } = await openNotify({
    voice: acceptAll(),
    settings: { notifications: { push: { enabled: true, topic: 'steward-0123456789abcdef' } } },
  })
  for (const { text } of SECRET_FORMS) {
    await call(API.notify, { body: { message: text, title: text.slice(0, 60), kind: 'error' } })
  }
  for (const { text } of SINK_CASES) await call(API.notify, { body: { message: text } })
  const shown = await call(API.listDeliveries, { query: { limit: 200 } })
  expect(findLeaks(JSON.stringify([shown, notifier.deliveries(500)]))).toEqual([])
  const files = readdirSync(home.root, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
  expect(findLeaks(files.join('\n'))).toEqual([])
})

it('POST /notify stores and lists the held-back texts with the required rates', async () => {
  const { call, notifier } = await openNotify({ voice: acceptAll() })
  for (const [at, text] of HELD_BACK_TEXTS.entries()) {
    const body = { message: text, title: text, kind: 'error', session_id: `s${at}` }
    await call(API.notify, { body })
  }
  const stored = new Map(
    notifier.deliveries(1000).map((row) => [row.sessionId, JSON.stringify(row)]),
  )
  expect(missedRates(HELD_BACK_TEXTS.map((_, at) => stored.get(`s${at}`) ?? ''))).toEqual([])
  const newest = JSON.stringify(await call(API.listDeliveries, { query: { limit: 200 } }))
  expect(newest).toContain('[redacted')
})
