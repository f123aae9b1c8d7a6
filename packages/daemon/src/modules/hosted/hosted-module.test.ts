import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  API,
  settings as allSettings,
  HOSTED_SERVER_FILE,
  type HostedSettings,
  hostedSettings,
  type Route,
} from '@steward/contract'
import * as hosted from '@steward/hosted'
import { createRedactor, ensureHome, type Home, resolveHome } from '@steward/platform'
import { findFreePorts } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createBus } from '../../bus/bus.ts'
import type { Notice } from '../../ports.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createHostedModule } from './hosted-module.ts'

const ENVIRONMENT = { LLM_PROVIDER: 'offline', KEY: 'a-very-secret-value' }
const WITHIN = { timeout: 20_000 }

let home: Home
const endings: Array<() => Promise<void>> = []
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-hosted-module-')) })
  await ensureHome(home)
})
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
  rmSync(home.root, { recursive: true, force: true })
})

const settingsWith = (given: Partial<HostedSettings>): HostedSettings =>
  hostedSettings.parse({ isolation: 'none', port: 0, ...given })

const createParts = (given: Partial<HostedSettings>) => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const bus = createBus(log)
  const clock = createVirtualClock()
  const topics: string[] = []
  bus.subscribe('live.changed', (message) => topics.push(...message.topics))
  const redactor = createRedactor({ KEY: ENVIRONMENT.KEY })
  let settings = settingsWith(given)
  const notices: Notice[] = []
  let laterMs = 0
  let loads = 0
  const module = createHostedModule({
    home,
    bus,
    log,
    now: () => Date.now() + laterMs,
    setTimer: clock.setTimer,
    notices: {
      send: async (notice) => {
        notices.push(notice)
        return { stored: true }
      },
    },
    settings: () => ({ hosted: settings, notifications: allSettings.parse({}).notifications }),
    environment: () => ENVIRONMENT,
    redactor: () => redactor,
    load: async () => {
      loads += 1
      return hosted
    },
    fetch,
    abortAfter: AbortSignal.timeout,
  })
  const ask = (
    route: Route,
    id = '',
    body: unknown = {},
    query: unknown = {},
  ): Promise<unknown> => {
    const handler = module.handlers.find((each) => each.route === route)
    const call = { signal: new AbortController().signal, header: () => undefined }
    return Promise.resolve(
      handler?.answer({ params: { id }, query: route.query?.parse(query), body }, call),
    )
  }
  const view = async () => API.getHosted.answer.parse(await ask(API.getHosted))
  const become = (state: string) =>
    vi.waitFor(async () => expect((await view()).state).toBe(state), WITHIN)
  const start = async () => {
    await module.start?.()
    endings.push(async () => module.stop?.())
  }
  const change = (next: Partial<HostedSettings>): void => {
    settings = settingsWith(next)
    bus.publish('settings.changed', { settings: allSettings.parse({ hosted: settings }) })
  }
  const wait = (ms: number): void => {
    laterMs += ms
  }
  return {
    ...{ module, clock, topics, ask, view, become, start, change, wait, notices },
    loads: () => loads,
  }
}

const created = z.looseObject({ id: z.string() })

/** A session of a new agent, created through the API. */
const makeSession = async (): Promise<string> => {
  const own = await hosted.findOwnServer(home.root)
  const post = async (path: string, body: unknown): Promise<string> => {
    const answer = await fetch(`${own?.address}/v1/${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': own?.key ?? '',
        'anthropic-beta': 'managed-agents-2026-04-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    return created.parse(await answer.json()).id
  }
  const agent = await post('agents', { name: 'Keeper', model: 'offline-extractive' })
  const environment_id = await post('environments', { name: 'here' })
  return post('sessions', { agent, environment_id, title: 'Tides' })
}

test('off: says how to switch it on, and does not load the package', async () => {
  const { module, start, view, loads, ask } = createParts({ enabled: false })
  await start()
  expect(module.health()).toMatchObject({ status: 'unavailable' })
  expect(module.health().reasons?.[0]).toContain('hosted.enabled')
  expect(await view()).toMatchObject({ state: 'off', enabled: false, server: null, sessions: [] })
  await expect(ask(API.getHostedEvents, 'sesn_1')).rejects.toThrow('no server of hosted agents')
  expect(loads()).toBe(0)
})

test('on: serves, shows a session from its message to its answer, and ends with the settings', async () => {
  const { module, clock, topics, start, view, become, change, ask } = createParts({ enabled: true })
  await start()
  await become('on')
  const id = await makeSession()
  await ask(API.sendHostedMessage, id, { text: 'The tide is high. a-very-secret-value' })
  const log = async (query = {}) =>
    API.getHostedEvents.answer.parse(await ask(API.getHostedEvents, id, {}, query))
  await vi.waitFor(async () => {
    expect((await log()).session).toMatchObject({ status: 'idle', stopReason: 'end_turn' })
  }, WITHIN)
  const { entries, isolated, session } = await log()
  expect(isolated).toBe(false)
  const said = entries.flatMap((entry) =>
    entry.kind === 'message' ? [[entry.by, entry.text]] : [],
  )
  expect(said[0]).toEqual(['you', 'The tide is high. [redacted:KEY]'])
  expect(said[1]?.[0]).toBe('agent')
  expect(session.cost.totalUsd).toBeGreaterThanOrEqual(0)
  expect((await log({ after: entries.at(-1)?.seq })).entries).toEqual([])
  expect(await view()).toMatchObject({
    server: { by: 'daemon', engine: 'sqlite', isolated: false, counts: { idle: 1 } },
    sessions: [{ id, title: 'Tides', agent: { name: 'Keeper' }, last: { kind: 'message' } }],
  })
  await clock.advanceInTurns(500)
  await vi.waitFor(() => expect(module.health()).toMatchObject({ sessions: { idle: 1 } }), WITHIN)
  expect(module.health()).toMatchObject({
    status: 'ok',
    isolation: 'NO ISOLATION',
    engine: 'sqlite',
  })
  expect(topics).toContain('hosted')

  const answer = { callId: 'sevt_nobody', allow: true }
  await expect(ask(API.answerHostedCall, id, answer)).rejects.toMatchObject({ status: 400 })
  await expect(ask(API.interruptHosted, 'sesn_none')).rejects.toMatchObject({ status: 404 })
  await ask(API.archiveHosted, id)
  await expect(ask(API.sendHostedMessage, id, { text: 'more' })).rejects.toMatchObject({
    code: 'archived',
  })
  expect((await view()).sessions).toEqual([])

  change({ enabled: false })
  await become('off')
  expect(existsSync(join(home.root, HOSTED_SERVER_FILE))).toBe(false)
})

test('a turn that is done is reported once, if the person does not answer within a minute', async () => {
  const { module, start, become, ask, wait, notices } = createParts({ enabled: true })
  await start()
  await become('on')
  const id = await makeSession()
  const say = async (text: string) => {
    await ask(API.sendHostedMessage, id, { text })
    await vi.waitFor(async () => {
      const { session, entries } = API.getHostedEvents.answer.parse(
        await ask(API.getHostedEvents, id),
      )
      expect(session).toMatchObject({ status: 'idle', stopReason: 'end_turn' })
      expect(entries.filter(({ kind }) => kind === 'message').at(-1)).toMatchObject({ by: 'agent' })
    }, WITHIN)
  }
  await say('The tide is high.')
  await module.calls.waiting()
  await say('The moon is full.')
  wait(61_000)
  await module.calls.waiting()
  await vi.waitFor(() => expect(notices).toHaveLength(1), WITHIN)
  await module.calls.waiting()
  expect(notices).toMatchObject([
    {
      kind: 'backgroundAgent',
      title: 'Tides',
      message: expect.stringMatching(/^Tides is done: .*moon/s),
      session_id: id,
    },
  ])
})

test('a port that is taken is named, and tried again', async () => {
  const other = createServer()
  const port = await findFreePorts(1)
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  const { module, clock, start, view, become } = createParts({ enabled: true, port })
  await start()
  await become('failed')
  expect((await view()).reason).toContain(String(port))
  expect(module.health()).toMatchObject({ status: 'failed' })
  expect(module.health().reasons?.[0]).toContain('hosted.port')
  await new Promise((resolve) => other.close(resolve))
  await clock.advanceInTurns(1000)
  await become('on')
  expect(module.health()).toMatchObject({ status: 'ok', address: `http://127.0.0.1:${port}` })
})

test('a server beside the daemon is shown, and its end is noticed without a message from it', async () => {
  const { start, view, become } = createParts({ enabled: false })
  await start()
  const other = await hosted.startHosted({
    home: home.root,
    env: ENVIRONMENT,
    settings: settingsWith({}),
    report: (error) => {
      throw error
    },
  })
  await become('on')
  expect(await view()).toMatchObject({ enabled: false, server: { by: 'another', model: null } })
  await other.stop()
  await become('off')
  mkdirSync(join(home.root, 'hosted'), { recursive: true })
  const left = { address: other.address, pid: 1 }
  writeFileSync(join(home.root, HOSTED_SERVER_FILE), JSON.stringify(left))
  await become('unreachable')
  expect((await view()).reason).toContain(String(other.address))
})
