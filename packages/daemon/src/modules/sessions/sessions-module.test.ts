import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { API, algorithmView } from '@steward/contract'
import { eventLogPath, writeFileAtomically } from '@steward/platform'
import { describe, expect, it, vi } from 'vitest'
import { createHome, iso, NOW, openSessions } from './testing/open-sessions.ts'

const MINUTE = 60_000
const criteria = [{ id: 'ISC-1', description: 'd', type: 'criterion', status: 'pending' }]
const stateOf = (fields: object = {}) =>
  JSON.stringify({
    sessions: { a: { task: 'x', mode: 'starting', updatedAt: iso(NOW), criteria, ...fields } },
  })

describe('GET /api/algorithm', () => {
  it('is 503 with the path while the file is missing; on a new data home that is not an error', async () => {
    const { answer, home, errors, infos, module } = await openSessions()
    expect(infos.join()).toContain(home.workState)
    expect(errors).toEqual([])
    await expect(answer(API.getAlgorithm)).rejects.toMatchObject({
      code: 'work_state_missing',
      status: 503,
      details: { path: home.workState },
    })
    expect(module.health()).toMatchObject({ status: 'ok', workState: 'missing' })
  })

  it('logs an error at start when the file is missing although an assistant has worked here', async () => {
    const home = createHome()
    const event = { timestamp: iso(NOW), event: 'PostToolUse', session_id: 'a', tool: 'Bash' }
    await appendFile(eventLogPath(home, 'tool-activity'), `${JSON.stringify(event)}\n`)
    const { errors } = await openSessions(home)
    expect(errors.join()).toContain(home.workState)
  })

  it('logs an error when the file disappears', async () => {
    const home = createHome()
    await writeFile(home.workState, stateOf())
    const { answer, errors } = await openSessions(home)
    await rm(home.workState)
    await expect(answer(API.getAlgorithm)).rejects.toMatchObject({ code: 'work_state_missing' })
    expect(errors.join()).toContain(home.workState)
  })

  it('is 503 with the path while the file cannot be read; the file is not moved', async () => {
    const home = createHome()
    await writeFile(home.workState, '{"sessions":')
    const { answer, module } = await openSessions(home)
    await expect(answer(API.getAlgorithm)).rejects.toMatchObject({
      code: 'work_state_unreadable',
      status: 503,
      details: { path: home.workState },
    })
    expect(module.health()).toMatchObject({ status: 'degraded', workState: 'unreadable' })
    expect(await readFile(home.workState, 'utf8')).toBe('{"sessions":')
  })

  it('shows the current file', async () => {
    const home = createHome()
    await writeFile(home.workState, stateOf())
    const { json, published, module } = await openSessions(home)
    const first = algorithmView.parse(await json(API.getAlgorithm))
    expect(first.algorithms).toMatchObject([{ sessionId: 'a', active: true }])
    await writeFileAtomically(home.workState, stateOf({ phase: 'build' }))
    const second = algorithmView.parse(await json(API.getAlgorithm))
    expect(second.algorithms).toMatchObject([{ currentPhase: 'BUILD' }])
    expect(published).toHaveLength(2)
    expect(module.health()).toMatchObject({ status: 'ok', shown: 1, active: 1 })
  })

  it('rebuilds its answer only when something changed or became stale', async () => {
    const home = createHome()
    await writeFile(home.workState, stateOf())
    const { json, advance, setSettings } = await openSessions(home)
    const stringify = vi.spyOn(JSON, 'stringify')
    const builds = () => stringify.mock.calls.filter(([value]) => 'pulseStrip' in value).length
    const staleNow = async () =>
      algorithmView.parse(await json(API.getAlgorithm)).algorithms[0]?.stale
    expect(await staleNow()).toBe(false)
    advance(10 * MINUTE - 1)
    expect(await staleNow()).toBe(false)
    expect(builds()).toBe(1)
    advance(1)
    expect(await staleNow()).toBe(true)
    setSettings({ sessions: { staleStartingMinutes: 60 } })
    expect(await staleNow()).toBe(false)
    expect(builds()).toBe(3)
    stringify.mockRestore()
  })
})

describe('GET /api/algorithm/stream', () => {
  const read = async (reader: ReadableStreamDefaultReader<Uint8Array>, count: number) => {
    let text = ''
    while (text.split('data: ').length <= count) {
      const { value, done } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
    }
    return text
  }

  it('sends the view immediately, on each change, and when a session becomes stale', async () => {
    const home = createHome()
    await writeFile(home.workState, stateOf())
    const { answer, advance, seeFolder, module } = await openSessions(home)
    const gone = new AbortController()
    const response = await answer(API.streamAlgorithm, undefined, gone.signal)
    if (!(response instanceof Response) || response.body === null) throw new Error('no stream')
    const reader = response.body.getReader()
    expect(await read(reader, 1)).toContain('"currentPhase":"STARTING"')
    await writeFileAtomically(home.workState, stateOf({ phase: 'plan' }))
    seeFolder()
    expect(await read(reader, 1)).toContain('"currentPhase":"PLAN"')
    advance(10 * MINUTE)
    expect(await read(reader, 1)).toContain('"stale":true')
    await rm(home.workState)
    seeFolder()
    expect(await read(reader, 1)).toMatch(/event: unavailable\ndata: .*"path":/)
    expect(module.health()).toMatchObject({ status: 'degraded', streams: 1 })
    gone.abort()
    expect((await reader.read()).done).toBe(true)
    expect(module.health()).toMatchObject({ streams: 0 })
  })
})

describe('watching', () => {
  it('sees a change without the system telling of it', async () => {
    const { home, advance, published } = await openSessions()
    await writeFileAtomically(home.workState, stateOf())
    advance(1000)
    await expect.poll(() => published).toHaveLength(1)
  })

  it('reports files that were set aside until they are removed', async () => {
    const home = createHome()
    await writeFile(home.workState, stateOf())
    const aside = `${home.workState}.unreadable-2026`
    await writeFile(aside, '{')
    const { module, seeFolder } = await openSessions(home)
    expect(module.health()).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('work.json.unreadable-2026')],
    })
    await rm(aside)
    seeFolder()
    await expect.poll(() => module.health()).toMatchObject({ status: 'ok' })
  })

  it('archives finished sessions, and stops every timer with the module', async () => {
    const home = createHome()
    await writeFile(home.workState, stateOf({ phase: 'complete', updatedAt: iso(NOW - 1e9) }))
    const { module, timers } = await openSessions(home)
    expect(await readFile(join(home.stateDir, 'work-archive.jsonl'), 'utf8')).toContain(
      '"slug":"a"',
    )
    expect(JSON.parse(await readFile(home.workState, 'utf8'))).toEqual({ sessions: {} })
    await module.stop?.()
    expect(timers()).toBe(0)
  })
})

describe('/api/observability/state', () => {
  it('is empty, then the file, then the pushed state, also after a restart', async () => {
    const { json, home } = await openSessions()
    expect(await json(API.getObservabilityState)).toEqual({
      sessions: {},
      source: 'file',
      receivedAt: null,
    })
    await writeFileAtomically(home.workState, stateOf())
    expect(await json(API.getObservabilityState)).toMatchObject({
      sessions: { a: { task: 'x' } },
      source: 'file',
    })
    const body = { sessions: { b: { task: 'with Sup3rSecret' }, odd: 1 }, more: true }
    expect(await json(API.pushObservabilityState, body)).toEqual({ ok: true })
    const expected = {
      sessions: { b: { task: 'with [redacted:KEY]' } },
      source: 'push',
      receivedAt: iso(NOW),
    }
    expect(await json(API.getObservabilityState)).toEqual(expected)
    const again = await openSessions(home)
    expect(await again.json(API.getObservabilityState)).toEqual(expected)
    expect(again.module.health()).toMatchObject({ pushedAt: iso(NOW) })
    expect(await json(API.pushObservabilityState, {})).toEqual({ ok: true })
    expect(await json(API.getObservabilityState)).toMatchObject({ sessions: {}, source: 'push' })
  })

  it('keeps the state of each machine, and shows all of them with their names', async () => {
    const { json, home } = await openSessions()
    const entry = (task: string) => ({ task, mode: 'starting', updatedAt: iso(NOW) })
    const push = (machine: string, sessions: object) =>
      json(API.pushObservabilityState, { machine, sessions })
    await push('laptop', { a: entry('laptop'), own: entry('pushed to itself') })
    await push('desk', { old: entry('gone') })
    await push('desk', { b: entry('desk') })
    const shown = async () => {
      const { algorithms } = algorithmView.parse(await json(API.getAlgorithm))
      return algorithms.map(({ rawTask, machine }) => [rawTask, machine])
    }
    const others = [
      ['laptop', 'laptop'],
      ['desk', 'desk'],
    ]
    expect(await shown()).toEqual(expect.arrayContaining(others))
    await writeFileAtomically(home.workState, JSON.stringify({ sessions: { own: entry('own') } }))
    expect((await shown())[0]).toEqual(['own', undefined])
    expect((await shown()).toSorted()).toEqual([...others, ['own', undefined]].toSorted())
    const again = await openSessions(home)
    expect(await again.json(API.getObservabilityState)).toMatchObject({
      sessions: { a: { task: 'laptop' }, b: { task: 'desk' } },
    })
  })

  it('does not show a file that cannot be read as empty', async () => {
    const home = createHome()
    await writeFile(home.workState, 'x')
    const { answer } = await openSessions(home)
    await expect(answer(API.getObservabilityState)).rejects.toMatchObject({
      code: 'work_state_unreadable',
    })
  })
})

describe('GET /api/agents', () => {
  it('shows the last hundred rows newest first and the agents of them, live', async () => {
    const home = createHome()
    const path = eventLogPath(home, 'subagent')
    const row = (at: number, event: string, id: string) =>
      `${JSON.stringify({ timestamp: iso(NOW + at * 1000), event, session_id: 'u', subagent_id: id, description: 'Sup3rSecret' })}\n`
    for (let at = 0; at < 120; at++) await appendFile(path, row(at, 'subagent_start', `s${at}`))
    const { json, bus, advance } = await openSessions(home)
    expect(await json(API.listAgents)).toMatchObject({
      events: { length: 100, 0: { subagent_id: 's119', description: '[redacted:KEY]' } },
      agents: { length: 120, 0: { subagent_id: 's119', status: 'running' } },
    })
    await appendFile(path, row(200, 'subagent_stop', 's119'))
    const event = { timestamp: '', session_id: 'u', source: 'subagent', type: 'x' } as const
    bus.publish('events.arrived', { events: [event] })
    advance(250)
    await expect
      .poll(() => json(API.listAgents))
      .toMatchObject({
        agents: { 0: { status: 'stopped', duration_seconds: 81 } },
      })
  })
})

describe('/api/loops', () => {
  it('reports that it is not available', async () => {
    const { json, answer } = await openSessions()
    const reserved = { status: 'not_available', loops: [], prds: [] }
    expect(await json(API.listLoops)).toEqual(reserved)
    expect(await json(API.getLoopControl)).toEqual(reserved)
    for (const route of [API.controlLoop, API.startLoop]) {
      await expect(answer(route)).rejects.toMatchObject({
        code: 'not_available',
        status: 501,
        details: { status: 'not_available' },
      })
    }
  })
})
