import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import {
  API,
  type EventSource,
  type StewardEvent,
  settings as settingsSchema,
  stewardEvent,
} from '@steward/contract'
import { collectEvents, eventLogPath, type Home } from '@steward/platform'
import { serveLoopback } from '@steward/platform/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../../platform/src/redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../../../../platform/src/redaction/testing/secret-forms.ts'
import { ReadyJson } from '../../module.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { callHandler, createHome, openEvents } from './testing/open-events.ts'

const MINUTE_MS = 60_000
const START_MS = Date.parse('2026-03-01T10:00:00Z')

const append = (home: Home, source: EventSource, ...rows: unknown[]): void => {
  const path = eventLogPath(home, source)
  mkdirSync(dirname(path), { recursive: true })
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
  appendFileSync(path, `${lines.join('\n')}\n`)
}

const at = (minute: number): string => new Date(START_MS + minute * MINUTE_MS).toISOString()
const row = (minute: number, more: object = {}) => ({
  timestamp: at(minute),
  session_id: 's1',
  tool_name: 'Bash',
  ...more,
})
const pushedEvent = (minute: number, more: object = {}): StewardEvent =>
  stewardEvent.parse({ ...row(minute), source: 'tool-activity', type: 'tool_use', ...more })

const eventsIn = (body: Record<string, unknown>) => stewardEvent.array().parse(body.events)

describe('recent events', () => {
  it('equal the result of collectEvents, before and after new rows', async () => {
    const home = createHome()
    for (let minute = 0; minute < 150; minute++) append(home, 'tool-activity', row(minute))
    for (let minute = 0; minute < 70; minute++) append(home, 'voice', row(minute * 2))
    append(home, 'subagent', row(3, { event: 'subagent_start' }), 'rubbish', row(5))
    const { module, arrived } = await openEvents({ home })
    const recent = async () => eventsIn(await callHandler(module, API.listRecentEvents))
    expect(await recent()).toEqual((await collectEvents(home)).events)
    expect(arrived).toEqual([])

    append(home, 'tool-failure', row(500, { error: 'x' }))
    append(home, 'tool-activity', row(400), row(401))
    await expect.poll(() => arrived.length).toBe(3)
    const after = await recent()
    expect(after).toEqual((await collectEvents(home)).events)
    expect(after.slice(0, 3).map(({ source }) => source)).toEqual([
      'tool-failure',
      'tool-activity',
      'tool-activity',
    ])
  })

  it('are one buffer until something changes', async () => {
    const { module, home, arrived } = await openEvents()
    const bytes = async () => {
      const handler = module.handlers.find(({ route }) => route === API.listRecentEvents)
      const call = { signal: new AbortController().signal, header: () => undefined }
      const answer = await handler?.answer({ params: {}, query: {}, body: undefined }, call)
      if (!(answer instanceof ReadyJson)) throw new Error('not bytes')
      return new Response(answer.body).text()
    }
    expect(await bytes()).toBe('{"events":[]}')
    append(home, 'voice', row(1))
    await expect.poll(() => arrived.length).toBe(1)
    expect(JSON.parse(await bytes())).toMatchObject({ events: [{ source: 'voice' }] })
  })

  it('contain no secret, even in rows of other writers', async () => {
    const variables = { SOME_API_KEY: 'sk-0123456789' }
    const { module, home, arrived } = await openEvents({ variables })
    append(home, 'tool-activity', row(1, { tool_input_preview: 'curl -H sk-0123456789' }))
    await expect.poll(() => arrived.length).toBe(1)
    expect(JSON.stringify(arrived)).not.toContain('sk-0123456789')
    expect(JSON.stringify(await callHandler(module, API.listRecentEvents))).toContain(
      '[redacted:SOME_API_KEY]',
    )
  })

  it('survive a folder that is removed and recreated', async () => {
    const { home, arrived } = await openEvents()
    append(home, 'voice', row(1))
    await expect.poll(() => arrived.length).toBe(1)
    rmSync(home.voice, { recursive: true })
    mkdirSync(home.voice)
    append(home, 'voice', row(2), row(3))
    await expect.poll(() => arrived.length, { timeout: 5000 }).toBe(3)
  })
})

describe('pushes to the daemon', () => {
  it('accept an array, {events} and one event, and count invalid entries', async () => {
    const { module, arrived } = await openEvents()
    const push = (body: unknown) => callHandler(module, API.pushObservabilityEvents, body)
    expect(await push([pushedEvent(2), pushedEvent(1), { a: 1 }, 7])).toEqual({
      ok: true,
      accepted: 2,
      rejected: 2,
    })
    expect(await push({ events: [pushedEvent(3)] })).toMatchObject({ accepted: 1 })
    expect(await push(pushedEvent(4))).toMatchObject({ accepted: 1, rejected: 0 })
    expect(await push({ nothing: true })).toMatchObject({ accepted: 0, rejected: 1 })
    const tooMany = Array.from({ length: 201 }, (_, minute) => pushedEvent(minute))
    await expect(push(tooMany)).rejects.toMatchObject({ code: 'invalid_input' })
    expect(arrived.map(({ timestamp }) => timestamp)).toEqual([at(1), at(2), at(3), at(4)])
    const raw = await callHandler(module, API.getObservabilityEvents)
    expect(raw).toMatchObject({ receivedAt: expect.any(String) })
    expect(eventsIn(raw).map(({ timestamp }) => timestamp)).toEqual([at(4), at(3), at(2), at(1)])
  })

  it('are merged by key, never written to the logs, and kept across restarts', async () => {
    const home = createHome()
    append(home, 'tool-activity', row(1))
    const first = await openEvents({ home })
    const body = [pushedEvent(3), pushedEvent(1), pushedEvent(3)]
    expect(await callHandler(first.module, API.pushObservabilityEvents, body)).toMatchObject({
      accepted: 3,
    })
    expect(first.arrived).toHaveLength(1)
    await first.stop()
    expect(readFileSync(eventLogPath(home, 'tool-activity'), 'utf8').split('\n')).toHaveLength(2)

    const second = await openEvents({ home })
    const recent = eventsIn(await callHandler(second.module, API.listRecentEvents))
    expect(recent.map(({ timestamp }) => timestamp)).toEqual([at(3), at(1)])
  })

  it('of a row that is read only afterwards are known already', async () => {
    const { module, home, arrived } = await openEvents()
    await callHandler(module, API.pushObservabilityEvents, [pushedEvent(1, { tool_use_id: 'a' })])
    append(home, 'tool-activity', row(1, { tool_use_id: 'a' }), row(1, { tool_use_id: 'b' }))
    await expect.poll(() => arrived.length).toBe(2)
    expect(arrived.map(({ tool_use_id }) => tool_use_id)).toEqual(['a', 'b'])
    expect(eventsIn(await callHandler(module, API.listRecentEvents))).toHaveLength(2)
    expect(eventsIn(await callHandler(module, API.getObservabilityEvents))).toEqual([])
  })

  it('that cannot be kept are not acknowledged', async () => {
    const { module, home, arrived } = await openEvents()
    const push = () => callHandler(module, API.pushObservabilityEvents, [pushedEvent(1)])
    rmSync(home.stateDir, { recursive: true })
    await expect(push()).rejects.toMatchObject({ code: 'storage_failed' })
    await expect(push()).rejects.toMatchObject({ code: 'storage_failed' })
    expect(eventsIn(await callHandler(module, API.listRecentEvents))).toEqual([])
    mkdirSync(home.stateDir)
    expect(await push()).toMatchObject({ accepted: 1 })
    expect(arrived).toHaveLength(1)
    expect(readFileSync(`${home.stateDir}/pushed-events.json`, 'utf8')).toContain(at(1))
  })

  it('continue if the file of earlier ones is unreadable, and report it', async () => {
    const home = createHome()
    writeFileSync(`${home.stateDir}/pushed-events.json`, '{')
    const { module, log } = await openEvents({ home })
    expect(log.join()).toContain('previously pushed events are not shown')
    expect(await callHandler(module, API.pushObservabilityEvents, pushedEvent(1))).toMatchObject({
      accepted: 1,
    })
  })
})

describe('the voice and failure logs', () => {
  it('are the last 100, newest first, with a summary of them', async () => {
    const now = () => START_MS + 2000 * MINUTE_MS
    const home = createHome()
    const kinds = ['sent', 'sent', 'failed', 'skipped']
    for (let minute = 0; minute < 120; minute++) {
      append(home, 'voice', row(minute, { event_type: kinds[minute % 4] }))
      append(home, 'tool-failure', row(minute * 10, { tool_name: minute % 2 ? 'Bash' : undefined }))
    }
    const { module } = await openEvents({ home, now })
    const voice = await callHandler(module, API.listVoiceEvents)
    expect(API.listVoiceEvents.answer.parse(voice)).toEqual(voice)
    expect(voice.summary).toEqual({
      total: 100,
      sent: 50,
      failed: 25,
      skipped: 25,
      successRate: 66.7,
    })
    expect(eventsIn(voice)[0]).toMatchObject({ timestamp: at(119), type: 'voice_skipped' })
    const failures = await callHandler(module, API.listToolFailures)
    expect(API.listToolFailures.answer.parse(failures)).toEqual(failures)
    expect(failures.summary).toEqual({
      total: 100,
      recent24h: 63,
      byTool: { Bash: 50, unknown: 50 },
    })
  })

  it('are complete and empty without data', async () => {
    const { module } = await openEvents()
    expect(await callHandler(module, API.listVoiceEvents)).toEqual({
      events: [],
      summary: { total: 0, sent: 0, failed: 0, skipped: 0, successRate: 0 },
    })
    expect(await callHandler(module, API.listToolFailures)).toEqual({
      events: [],
      summary: { total: 0, recent24h: 0, byTool: {} },
    })
  })
})

describe('health', () => {
  it('counts torn, foreign, huge and binary lines, and stays ok', async () => {
    const home = createHome()
    append(home, 'tool-activity', row(1), 'no json', '[1]', '\u0000\u0001', 'x'.repeat(300_000))
    appendFileSync(eventLogPath(home, 'tool-activity'), '{"torn":')
    const { module } = await openEvents({ home })
    expect(module.health()).toMatchObject({
      status: 'ok',
      sources: {
        'tool-activity': {
          skipped: { foreign: 2, binary: 1, tooLong: 1, torn: 1 },
          lastEventAt: at(1),
          lastError: null,
        },
      },
    })
  })

  it('names a source that cannot be read, and the others go on', async () => {
    const home = createHome()
    mkdirSync(eventLogPath(home, 'voice'))
    const { module, arrived } = await openEvents({ home })
    append(home, 'subagent', row(1))
    await expect.poll(() => arrived.length).toBe(1)
    expect(module.health()).toMatchObject({ status: 'degraded' })
    expect(module.health().reasons?.[0]).toContain('events of voice')
    rmSync(eventLogPath(home, 'voice'), { recursive: true })
    append(home, 'voice', row(2))
    await expect.poll(() => module.health().status, { timeout: 5000 }).toBe('ok')
  })

  it('sees new rows without a watcher too', async () => {
    const { module, home, arrived } = await openEvents({ watchFolder: () => undefined })
    append(home, 'voice', row(1))
    await expect.poll(() => arrived.length, { timeout: 5000 }).toBe(1)
    expect(module.health()).toMatchObject({ watching: false })
  })
})

describe('targets', () => {
  const openTarget = async (status: () => number = () => 200) => {
    const received: Array<{ path: string; body: unknown; authorization: string | undefined }> = []
    const { url, close } = await serveLoopback(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { authorization } = request.headers
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      received.push({ path: request.url ?? '', body, authorization })
      response.writeHead(status()).end('{}')
    })
    onTestFinished(close)
    return { url, received }
  }

  it('get the merged list after a row, and the work state after a change', async () => {
    const { url, received } = await openTarget()
    const targets = [
      { name: 'a', type: 'http', url, headers: { authorization: 'Bearer ${DASH_TOKEN}' } },
    ]
    const variables = { DASH_TOKEN: 'dash-0123456789' }
    const { home, bus, module } = await openEvents({ targets, variables })
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toEqual({
      path: '/api/observability/events',
      body: [],
      authorization: 'Bearer dash-0123456789',
    })
    append(home, 'tool-activity', row(1, { preview: 'dash-0123456789' }))
    await expect.poll(() => received.length).toBe(2)
    expect(received[1]?.body).toMatchObject([{ preview: '[redacted:DASH_TOKEN]' }])

    bus.publish('work-state.changed', { state: { sessions: { x: { phase: 'plan' } } } })
    await expect.poll(() => received.map(({ path }) => path)).toContain('/api/observability/state')
    await expect.poll(() => module.health().targets).toMatchObject([{ status: 'ok', lagMs: 0 }])
  })

  it('work without a restart when they are new', async () => {
    const { url, received } = await openTarget()
    const { home, bus, arrived } = await openEvents()
    append(home, 'tool-activity', row(1))
    await expect.poll(() => arrived.length).toBe(1)
    const targets = [{ name: 'new', type: 'http', url }]
    const settings = settingsSchema.parse({ observability: { targets } })
    bus.publish('settings.changed', { settings })
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]?.body).toMatchObject([{ timestamp: at(1) }])
  })

  it('that fail are named in health, without the data sent to them', async () => {
    let status = 500
    const { url, received } = await openTarget(() => status)
    const timers = createVirtualClock(START_MS)
    const targets = [{ name: 'bad', type: 'http', url: `${url}/?key=hidden-key` }]
    const { module } = await openEvents({
      targets,
      setTimer: timers.setTimer,
      now: timers.now,
      elapsed: timers.now,
    })
    await timers.advanceInTurns(200)
    await expect.poll(() => module.health().status).toBe('degraded')
    const { reasons } = module.health()
    expect(reasons?.[0]).toContain('target bad: the target bad answered with an error')
    expect(JSON.stringify(module.health())).not.toContain('hidden-key')
    status = 200
    await timers.advanceInTurns(1000)
    await expect.poll(() => received.length).toBe(2)
    await expect.poll(() => module.health().status).toBe('ok')
  })

  it('may be the daemon itself without a loop', async () => {
    const home = createHome()
    append(home, 'tool-activity', row(1), row(2))
    let pushes = 0
    const self: { push?: (body: unknown) => Promise<unknown> } = {}
    const fetchSelf = async (_: string, init: RequestInit) => {
      pushes += 1
      await self.push?.(JSON.parse(String(init.body)))
      return Response.json({})
    }
    const timers = createVirtualClock(START_MS)
    const targets = [{ name: 'self', type: 'http', url: 'http://127.0.0.1:31337' }]
    const { module, arrived } = await openEvents({
      home,
      targets,
      fetch: fetchSelf,
      setTimer: timers.setTimer,
      elapsed: timers.now,
    })
    self.push = (body) => callHandler(module, API.pushObservabilityEvents, body)
    await timers.advanceInTurns(200)
    await expect.poll(() => module.health().targets).toMatchObject([{ pushes: 1, lagMs: 0 }])
    for (let count = 0; count < 20; count++) await timers.advanceInTurns(1000)
    expect(pushes).toBe(1)
    expect(arrived).toEqual([])
    append(home, 'tool-activity', row(3))
    await timers.advanceInTurns(1000)
    await expect.poll(() => arrived.length).toBe(1)
    await timers.advanceInTurns(1000)
    await expect.poll(() => pushes).toBe(2)
    for (let count = 0; count < 20; count++) await timers.advanceInTurns(1000)
    expect(pushes).toBe(2)
    expect(eventsIn(await callHandler(module, API.listRecentEvents))).toHaveLength(3)
  })
})

it('neither shows nor stores any form of a secret that another machine pushed', async () => {
  const { module, home, arrived, stop } = await openEvents()
  const rows = SINK_CASES.map(({ text }, index) =>
    pushedEvent(index + 1, {
      tool_input_preview: JSON.stringify({ command: text }),
      ground_truth: { command: text, stdout_preview: text },
    }),
  )
  expect(await callHandler(module, API.pushObservabilityEvents, rows)).toMatchObject({
    accepted: SINK_CASES.length,
  })
  const shown = JSON.stringify(await callHandler(module, API.listRecentEvents))
  await stop()
  expect(shown).toContain('[redacted]')
  expect(findLeaks(shown)).toEqual([])
  expect(findLeaks(JSON.stringify(arrived))).toEqual([])
  const kept = readdirSync(home.stateDir).map((name) =>
    readFileSync(join(home.stateDir, name), 'utf8'),
  )
  expect(kept.join('')).toContain('[redacted]')
  expect(findLeaks(kept.join(''))).toEqual([])
})

it('shows and stores pushed events with the required rates', async () => {
  const { module, home, arrived, stop } = await openEvents()
  const rows = HELD_BACK_TEXTS.map((text, index) =>
    pushedEvent(index + 1, {
      tool_input_preview: JSON.stringify({ command: text }),
      ground_truth: { command: text, stdout_preview: text },
    }),
  )
  const shown: string[] = []
  // A push holds at most 200 events, and the newest 200 are kept.
  for (let from = 0; from < rows.length; from += 200) {
    const part = rows.slice(from, from + 200)
    await callHandler(module, API.pushObservabilityEvents, part)
    const events = eventsIn(await callHandler(module, API.listRecentEvents))
    const byTime = new Map(events.map((each) => [each.timestamp, JSON.stringify(each)]))
    shown.push(...part.flatMap(({ timestamp }) => byTime.get(timestamp) ?? []))
  }
  await stop()
  expect(missedRates(shown)).toEqual([])
  const inOrder = arrived.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  expect(missedRates(inOrder.map((each) => JSON.stringify(each)))).toEqual([])
  const kept = readdirSync(home.stateDir).map((name) =>
    readFileSync(join(home.stateDir, name), 'utf8'),
  )
  expect(kept.join('')).toContain('[redacted]')
})
