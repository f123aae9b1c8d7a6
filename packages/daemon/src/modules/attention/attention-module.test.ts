import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, isJsonObject, OBSERVER_VERDICTS_FILE } from '@steward/contract'
import { normaliseEvent, writeSessionName } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { HostedCall } from '../../ports.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { readAnswerToken, signAnswer } from './devices/answer-token.ts'
import { NOW, openAttention, REQUEST } from './testing/open-attention.ts'
import { serveTopics } from './testing/serve-topics.ts'

let ntfy: Awaited<ReturnType<typeof serveTopics>>
beforeAll(async () => {
  ntfy = await serveTopics()
})
afterAll(() => ntfy.close())

const openScene = async (hostedCalls: HostedCall[] = []) => {
  const clock = createVirtualClock(NOW)
  const push = { enabled: true, topic: 'steward-plain-topic', server: ntfy.address }
  const scene = await openAttention({ clock, hostedCalls, settings: { notifications: { push } } })
  onTestFinished(scene.remove)
  return {
    ...scene,
    clock,
    addDevice: async (name: string): Promise<string> => {
      const added = await scene.call(API.addAnswerDevice, { body: { name } })
      return isJsonObject(added) ? String(added.topic) : ''
    },
  }
}

const RUN = {
  runId: 'run-1',
  startedAt: new Date(NOW).toISOString(),
  endedAt: new Date(NOW).toISOString(),
  durationMs: 1,
  outcome: 'failed',
  reason: 'its pipeline is missing',
  items: { found: 0, alreadySeen: 0, delivered: 0, rejected: 0, failed: 0, postponed: 0 },
  errors: [],
  spend: { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] },
}
const FLOW = {
  id: 'f1',
  name: 'F_NIGHTLY',
  enabled: true,
  lastRun: RUN,
  lastDeliveredAt: null,
  consecutiveFailures: 1,
  runs: 1,
}
const VERDICT = {
  session_id: 's7',
  cycle: 1,
  decision: 'continue',
  escalated: true,
  votes: [],
  evidence: [],
  rows: 1,
  duration_ms: 1,
  cost: { cycle_usd: 0, total_usd: 0, primary_hours: 0, per_primary_hour_usd: null },
}

describe('attention', () => {
  it('lists a request with names, tells of it after the threshold, reminds once, and takes it back', async () => {
    const { home, ask, answer, list, clock, sent, withdrawn, logged } = await openScene()
    await writeSessionName(home, 'session-1', 'Release Notes')
    const asked = ask()
    await expect.poll(list).toMatchObject([
      {
        id: 'abcdefgh12',
        name: 'Release Notes',
        project: '/home/u/proj',
        host: 'claude',
        kind: 'permission',
        tool: 'Bash',
        preview: 'Bash: npm publish',
        choices: [],
        answerable: true,
        since: REQUEST.at,
        answer: { where: 'here', decides: true, always: 'addRules Bash(npm publish)' },
      },
    ])
    await clock.advanceInTurns(59_000)
    expect(sent).toEqual([])
    await clock.advanceInTurns(1000)
    await expect
      .poll(() => sent)
      .toMatchObject([
        {
          kind: 'waiting',
          key: 'waiting/abcdefgh12',
          title: 'Release Notes asks for permission',
          message: 'claude, proj\nBash: npm publish\nAnswer: steward answer abcdefgh12',
          spoken: 'Release Notes asks for permission: Bash: npm publish',
        },
      ])
    await clock.advanceInTurns(700_000)
    await expect.poll(() => sent.length).toBe(2)
    expect(sent[1]).toMatchObject({ title: 'Release Notes still asks for permission' })
    await answer('abcdefgh12', { decision: 'allow' })
    expect(await asked).toEqual({ status: 'answered', answer: { decision: 'allow' } })
    await clock.advanceInTurns(1000)
    await expect.poll(() => withdrawn).toEqual(['waiting/abcdefgh12', 'waiting/abcdefgh12/again'])
    expect(sent).toHaveLength(2)
    expect(await logged()).toEqual([
      'pass allowed once by the owner of the data home (request abcdefgh12) | Bash: npm publish',
    ])
  })

  it('answers hosted agents through their API, and names commands for what it cannot answer', async () => {
    const call = { sessionId: 'sesn_1', callId: 'evt_1', name: 'Nightly', tool: 'bash' }
    const scene = await openScene([
      { ...call, input: 'rm -rf build', at: new Date(NOW).toISOString() },
    ])
    writeFileSync(
      join(scene.home.stateDir, 'observer-halts.json'),
      JSON.stringify({
        version: 1,
        halts: [{ session_id: 's9', reason: 'drift', at: new Date(NOW).toISOString(), by: 'x' }],
      }),
    )
    const later = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()
    const block = { code: 'not_found', reason: 'its pipeline is missing', since: later(1) }
    const flow = { ...FLOW, blocked: block }
    writeFileSync(
      scene.home.flowState,
      JSON.stringify({ version: 1, updatedAt: later(1), flows: { f1: flow } }),
    )
    mkdirSync(join(scene.home.root, 'MEMORY/OBSERVABILITY'), { recursive: true })
    const verdict = { ...VERDICT, timestamp: later(2), reason: 'it deletes tests' }
    writeFileSync(join(scene.home.root, OBSERVER_VERDICTS_FILE), `${JSON.stringify(verdict)}\n`)
    scene.bus.publish('live.changed', { topics: ['observers'] })
    await expect
      .poll(async () => (await scene.list()).map(({ id }) => id))
      .toEqual([
        'hosted:sesn_1:evt_1',
        'halt:s9',
        'flow:f1',
        expect.stringContaining('escalation:s7:'),
      ])
    expect((await scene.list()).slice(2)).toMatchObject([
      {
        name: 'F_NIGHTLY',
        kind: 'blocked',
        preview: 'its pipeline is missing',
        answerable: false,
        answer: { where: 'command', command: 'steward trigger F_NIGHTLY' },
      },
      {
        kind: 'blocked',
        preview: 'Observers escalated it: it deletes tests',
        answer: { where: 'command', command: 'steward observe --session s7 --once' },
      },
    ])
    await expect(scene.answer('halt:s9', { decision: 'allow' })).rejects.toMatchObject({
      code: 'attention_elsewhere',
      message: expect.stringContaining('steward observe lift s9'),
    })
    await scene.answer('hosted:sesn_1:evt_1', { decision: 'deny', message: 'not now' })
    expect(scene.decided).toEqual([
      [
        { sessionId: 'sesn_1', callId: 'evt_1' },
        { allow: false, message: 'not now' },
      ],
    ])
    await expect(scene.answer('nothing', { decision: 'allow' })).rejects.toMatchObject({
      code: 'attention_not_found',
    })
  })
})

describe('messages', () => {
  it('are answers to a session that Steward drives, and to a finished turn that is kept open', async () => {
    const { asking, ask, answer, list, bus, logged } = await openScene()
    const told: string[] = []
    const release = await asking().claim('session-2', async (text) => told.push(text))
    const row = { timestamp: new Date(NOW).toISOString(), host: 'codex', cwd: '/p' }
    const turn = { ...row, session_id: 'session-2', event: 'turn_end', message_preview: 'Ready.' }
    bus.publish('events.arrived', { events: [normaliseEvent('tool-activity', turn)] })
    const id = `session:session-2:${NOW}`
    expect(await list()).toMatchObject([
      { id, kind: 'done', preview: 'Ready.', answer: { where: 'here', takesText: true } },
    ])
    await expect(answer(id, { decision: 'allow' })).rejects.toMatchObject({ code: 'invalid_input' })
    await answer(id, { text: 'Now the tests' })
    expect(told).toEqual(['Now the tests'])
    // The driver asks for permissions itself; the row of a hook may arrive after the answer.
    const late = { ...row, session_id: 'session-2', timestamp: new Date(NOW + 1).toISOString() }
    const events = [normaliseEvent('tool-activity', { ...late, event: 'permission_request' })]
    bus.publish('events.arrived', { events })
    expect(await list()).toMatchObject([{ id, kind: 'done' }])
    const over = { ...turn, timestamp: new Date(NOW + 2).toISOString() }
    bus.publish('events.arrived', { events: [normaliseEvent('tool-activity', over)] })
    release()
    expect(await list()).toMatchObject([{ id, answer: { where: 'terminal' } }])
    await expect(answer(id, { text: 'x' })).rejects.toMatchObject({
      code: 'attention_elsewhere',
    })
    const asked = { decides: false, questions: [], fields: [], takesText: true }
    const kept = ask({ id: 'done-12345', reason: 'done', detail: 'Done.', asked })
    await expect.poll(async () => (await list()).length).toBe(2)
    expect(await asking().reply('session-9', 'hi')).toBe(false)
    expect(await asking().reply('session-1', 'Also the docs')).toBe(true)
    expect(await kept).toEqual({ status: 'answered', answer: { text: 'Also the docs' } })
    expect(await logged()).toEqual([
      'pass answered by the owner of the data home (request done-12345) | Done.',
      `pass answered by the owner of the data home (request ${id}) | Ready.`,
    ])
  })
})

describe('devices', () => {
  it('answer with the buttons of a push, once, on their own topic, and the push disappears', async () => {
    const { ask, addDevice, clock, sent, logged } = await openScene()
    const topic = await addDevice('phone')
    await expect.poll(ntfy.followers).toBe(1)
    const asked = ask()
    await clock.advanceInTurns(61_000)
    const find = () => ntfy.shown.find((push) => push.topic === topic)
    await expect.poll(find).toBeDefined()
    const push = find()
    expect(push).toMatchObject({ message: expect.stringContaining('Bash: npm publish') })
    expect(push?.buttons.map(({ label }) => label)).toEqual(['Allow', 'Deny', 'Always'])
    // The ordinary push would be the same without buttons.
    expect(sent).toMatchObject([{ channels: ['webpush'] }])
    await ntfy.press(push, 'Always')
    const answer = { decision: 'allow', scope: 'always' }
    expect(await asked).toEqual({ status: 'answered', answer })
    await clock.advanceInTurns(1000)
    await expect.poll(find).toBeUndefined()
    // The same answer again, and another button of the same push.
    await ntfy.press(push, 'Always')
    await ntfy.press(push, 'Deny')
    await expect.poll(async () => (await logged()).length).toBe(3)
    expect((await logged()).toReversed()).toEqual([
      'pass allowed always by device phone (request abcdefgh12) | Bash: npm publish',
      expect.stringContaining('device phone was refused: it was used before'),
      expect.stringContaining('can no longer be answered: it was answered by device phone'),
    ])
  })

  it('subscribe to web push, at a push service only, and are no longer sent to when revoked', async () => {
    const { call } = await openScene()
    const subscribe = (name: string, endpoint: string) =>
      call(API.subscribeAnswerDevice, {
        body: { name, subscription: { endpoint, keys: { p256dh: 'BPk0', auth: 'c2VjcmV0' } } },
      })
    for (const address of ['http://169.254.169.254/latest', 'http://192.168.1.1/', 'file:///etc']) {
      await expect(subscribe('browser', address)).rejects.toThrow('endpoint')
    }
    const endpoint = 'https://push.example/abc'
    expect(await subscribe('browser', endpoint)).toMatchObject({
      device: { name: 'browser', ways: ['webpush'], answers: false },
    })
    await call(API.revokeAnswerDevice, { params: { id: 'browser' }, body: {} })
    const devices = [{ name: 'browser', ways: [], revokedAt: new Date(NOW).toISOString() }]
    expect(await call(API.listAnswerDevices, {})).toMatchObject({ devices })
    for (let count = 1; count <= 50; count++) await subscribe(`browser ${count}`, endpoint)
    await expect(subscribe('browser', endpoint)).rejects.toThrow('there are 50 devices; revoke one')
  })

  it('answer while no daemon runs: the answer waits for the hook, and is not used up before', async () => {
    const { ask, addDevice, clock, stop, begin, logged } = await openScene()
    const topic = await addDevice('phone')
    await expect.poll(ntfy.followers).toBe(1)
    const first = expect(ask()).rejects.toMatchObject({ code: 'module_failed' })
    await clock.advanceInTurns(61_000)
    const find = () => ntfy.shown.find((push) => push.topic === topic)
    await expect.poll(find).toBeDefined()
    await stop()
    await ntfy.press(find(), 'Allow')
    await begin()
    await first
    await expect.poll(ntfy.followers).toBe(1)
    await clock.advanceInTurns(15_000)
    expect(await logged()).toEqual([])
    const answer = { decision: 'allow' }
    expect(await ask()).toEqual({ status: 'answered', answer })
    await expect.poll(logged).toEqual([expect.stringContaining('allowed once by device phone')])
  })

  it('answer hosted agents with buttons, once', async () => {
    const at = new Date(NOW).toISOString()
    const call = { sessionId: 'sesn_1', callId: 'evt_1', name: 'Nightly', tool: 'bash' }
    const scene = await openScene([{ ...call, input: 'rm -rf build', at }])
    const topic = await scene.addDevice('phone')
    await expect.poll(ntfy.followers).toBe(1)
    await expect.poll(async () => (await scene.list()).length).toBe(1)
    await scene.clock.advanceInTurns(61_000)
    const find = () => ntfy.shown.find((push) => push.topic === topic)
    await expect.poll(find).toBeDefined()
    const push = find()
    expect(push).toMatchObject({ message: expect.stringContaining('bash: rm -rf build') })
    await ntfy.press(push, 'Allow')
    await expect
      .poll(() => scene.decided)
      .toEqual([[{ sessionId: 'sesn_1', callId: 'evt_1' }, { allow: true }]])
    await ntfy.press(push, 'Deny')
    await expect.poll(async () => (await scene.logged()).length).toBe(2)
    expect((await scene.logged()).toReversed()).toEqual([
      'pass allowed once by device phone (request hosted:sesn_1:evt_1) | bash: rm -rf build',
      expect.stringContaining('device phone was refused: no open request has the id'),
    ])
    expect(scene.decided).toHaveLength(1)
  })

  it('are refused when revoked or forged; nothing is allowed', async () => {
    const { ask, addDevice, call, list, clock, logged, stop, begin } = await openScene()
    const topic = await addDevice('tablet')
    const asked = ask({ id: 'abcdefgh13' })
    await clock.advanceInTurns(61_000)
    const find = () => ntfy.shown.find((push) => push.topic === topic)
    await expect.poll(find).toBeDefined()
    const [allow] = find()?.buttons ?? []
    if (allow === undefined) throw new Error('no button')
    const [body = '', mac = ''] = allow.body.split('.')
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (!Array.isArray(claims)) throw new Error('no claims')
    const forged = Buffer.from(JSON.stringify(claims.with(0, 'another123'))).toString('base64url')
    const post = (text: string) => fetch(allow.url, { method: 'POST', body: text })
    await post(`${forged}.${mac}`)
    await post('rubbish')
    const other = { requestId: 'abcdefgh13', deviceId: String(claims[1]), untilMs: NOW * 2 }
    await post(signAnswer({ ...other, answer: { decision: 'allow' } }, 'another key'))
    await expect.poll(async () => (await logged()).length).toBe(3)
    for (const line of await logged()) expect(line).toContain('its signature is wrong')
    await call(API.revokeAnswerDevice, { params: { id: 'tablet' }, body: {} })
    // Revoked: its topic is not followed any more, and after a restart neither.
    const ended = expect(asked).rejects.toMatchObject({ code: 'module_failed' })
    await stop()
    await begin()
    await ended
    await ntfy.press(find(), 'Allow')
    expect(await list()).toMatchObject([{ id: 'abcdefgh13' }])
    await clock.advanceInTurns(900_000)
    expect(await list()).toEqual([])
  })

  it('are refused after they expired, and ignored when there are too many', async () => {
    const { ask, addDevice, clock, logged, lines } = await openScene()
    const topic = await addDevice('watch')
    await expect.poll(ntfy.followers).toBe(1)
    const asked = ask({ id: 'abcdefgh14' })
    await clock.advanceInTurns(61_000)
    const find = () => ntfy.shown.find((push) => push.topic === topic)
    await expect.poll(find).toBeDefined()
    const [allow] = find()?.buttons ?? []
    if (allow === undefined) throw new Error('no button')
    await clock.advanceInTurns(900_000)
    expect(await asked).toMatchObject({ status: 'closed' })
    const post = (text: string) => fetch(allow.url, { method: 'POST', body: text })
    await post(allow.body)
    await expect.poll(logged).toEqual([expect.stringContaining('was refused: it expired')])
    // With the expired one that is one more than a minute allows.
    for (let count = 0; count < 30; count++) await post('rubbish')
    await expect.poll(() => lines.join()).toContain('too many answers from watch')
    await expect.poll(async () => (await logged()).length).toBe(30)
    await clock.advanceInTurns(61_000)
    await post('rubbish')
    await expect.poll(async () => (await logged()).length).toBe(31)
  })

  it('sign answers that name their request and device', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url')
    const claims = {
      requestId: 'r',
      deviceId: 'd',
      answer: { decision: 'deny' } as const,
      untilMs: 7,
    }
    const token = signAnswer(claims, key)
    expect(readAnswerToken(token, () => key)).toMatchObject(claims)
    expect(readAnswerToken(token, () => undefined)).toBeUndefined()
    expect(readAnswerToken(`${token}x`, () => key)).toBeUndefined()
    expect(readAnswerToken(`${token}.`, () => key)).toBeUndefined()
  })
})
