import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Route, type StewardEvent, settings as settingsSchema } from '@steward/contract'
import { createEnvironment, createRedactor, resolveHome, secretsOf } from '@steward/platform'
import { onTestFinished } from 'vitest'
import { createBus } from '../../../bus/bus.ts'
import type { Log } from '../../../log/log.ts'
import { type DaemonModule, ReadyJson } from '../../../module.ts'
import { readStreamBlocks } from '../../../testing/read-stream-blocks.ts'
import { createEventsModule } from '../events-module.ts'
import type { EventsPorts } from '../ports.ts'

/** A separate data home, removed after the test. */
export const createHome = () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-events-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = resolveHome({ STEWARD_HOME: root })
  for (const folder of [home.observability, home.voice, home.stateDir]) {
    mkdirSync(folder, { recursive: true })
  }
  return home
}

export interface OpenOptions extends Partial<EventsPorts> {
  targets?: unknown[]
  variables?: Record<string, string>
}

/** The module on real files, with the system's timers and watcher unless given. */
export const openEvents = async ({ targets = [], variables = {}, ...given }: OpenOptions = {}) => {
  const lines: string[] = []
  const write = (text: string) => {
    lines.push(text)
  }
  const log: Log = { info: write, warn: write, error: write }
  const bus = given.bus ?? createBus(log)
  const environment = createEnvironment(variables, {})
  const arrived: StewardEvent[] = []
  bus.subscribe('events.arrived', ({ events }) => arrived.push(...events))
  const home = given.home ?? createHome()
  const settings = settingsSchema.parse({ observability: { targets } })
  const module = createEventsModule({
    home,
    bus,
    log,
    settings: () => settings,
    environment: () => environment,
    redactor: () => createRedactor(secretsOf(environment)),
    now: Date.now,
    setTimer: (delayMs, action) => {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
    fetch: (address, init) => fetch(address, init),
    abortAfter: (delayMs) => AbortSignal.timeout(delayMs),
    ...given,
  })
  await module.start?.()
  let running = true
  const stop = async () => {
    if (running) await module.stop?.()
    running = false
  }
  onTestFinished(stop)
  return { module, home, bus, log: lines, arrived, settings, stop }
}

/** Calls a handler as the server does after its checks; returns the JSON answer. */
export const callHandler = async (
  module: DaemonModule,
  route: Route,
  body?: unknown,
): Promise<Record<string, unknown>> => {
  const result = await answerOf(module, route, body)
  if (result instanceof ReadyJson) return new Response(result.body).json()
  return result instanceof Response ? result.json() : JSON.parse(JSON.stringify(result))
}

const answerOf = (
  module: DaemonModule,
  route: Route,
  body: unknown,
  { lastEventId, after }: Resumed = {},
  signal = new AbortController().signal,
): unknown => {
  const handler = module.handlers.find((each) => each.route === route)
  if (handler === undefined) throw new Error(`no handler for ${route.path}`)
  const header = (name: string) => (name === 'last-event-id' ? lastEventId : undefined)
  const query = after === undefined ? {} : { after }
  return handler.answer({ params: {}, query, body }, { signal, header })
}

export interface SeenMessage {
  id: string | undefined
  event: string | undefined
  data: Record<string, unknown>
}

/** Where a client resumes: by header, as browsers do, or by query, as pages do. */
interface Resumed {
  lastEventId?: string | undefined
  after?: string | undefined
}

/** A stream client: what it received so far, and how to disconnect. */
export const openStream = (module: DaemonModule, route: Route, resumed: Resumed = {}) => {
  const leaving = new AbortController()
  const response = answerOf(module, route, undefined, resumed, leaving.signal)
  if (!(response instanceof Response) || response.body === null) throw new Error('no stream')
  const seen: SeenMessage[] = []
  const reading = readMessages(response.body, seen)
  const leave = async () => {
    leaving.abort()
    await reading
  }
  onTestFinished(leave)
  return { seen, leave }
}

const readMessages = async (body: ReadableStream<Uint8Array>, seen: SeenMessage[]) => {
  for await (const block of readStreamBlocks(body)) {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const data = field('data')
    if (data !== undefined) {
      seen.push({ id: field('id'), event: field('event'), data: JSON.parse(data) })
    }
  }
}
