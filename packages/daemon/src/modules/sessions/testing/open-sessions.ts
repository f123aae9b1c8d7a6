import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Route, settings as settingsSchema, type WorkState } from '@steward/contract'
import { createRedactor, resolveHome } from '@steward/platform'
import { onTestFinished } from 'vitest'
import { createBus } from '../../../bus/bus.ts'
import { type Call, ReadyJson } from '../../../module.ts'
import { createSessionsModule } from '../sessions-module.ts'

export const NOW = Date.UTC(2026, 2, 7, 15, 4, 5)
export const iso = (atMs: number): string => new Date(atMs).toISOString()

/** A separate data home, removed after the test. */
export const createHome = () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-sessions-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = resolveHome({ STEWARD_HOME: root })
  for (const folder of [home.observability, home.stateDir]) mkdirSync(folder, { recursive: true })
  return home
}

/** The module on real files; time, timers and the watcher are controlled by the test. */
export const openSessions = async (home = createHome()) => {
  const errors: string[] = []
  const infos: string[] = []
  const log = {
    info: (line: string) => {
      infos.push(line)
    },
    warn: () => undefined,
    error: (line: string) => {
      errors.push(line)
    },
  }
  const bus = createBus(log)
  const published: WorkState[] = []
  bus.subscribe('work-state.changed', ({ state }) => published.push(state))
  let nowMs = NOW
  const timers = new Set<{ dueMs: number; action: () => void }>()
  let onFolderChange = (): void => undefined
  let settings = settingsSchema.parse({})
  const module = createSessionsModule({
    home,
    bus,
    log,
    now: () => nowMs,
    setTimer: (delayMs, action) => {
      const timer = { dueMs: nowMs + delayMs, action }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    watchFolder: (_, onChange) => {
      onFolderChange = onChange
      return () => undefined
    },
    settings: () => settings,
    redactor: () => createRedactor({ KEY: 'Sup3rSecret' }),
    jobs: { countJobs: async () => ({ scheduled: 3, failing: 1 }) },
  })
  await module.start?.()
  onTestFinished(async () => module.stop?.())

  const call = (signal: AbortSignal): Call => ({ signal, header: () => undefined })
  const answer = async (route: Route, body?: unknown, signal = new AbortController().signal) => {
    const handler = module.handlers.find((each) => each.route === route)
    if (handler === undefined) throw new Error(`no handler for ${route.path}`)
    return handler.answer({ params: undefined, query: undefined, body }, call(signal))
  }
  return {
    module,
    home,
    bus,
    errors,
    infos,
    published,
    answer,
    /** Calls a route as a client does. */
    json: async (route: Route, body?: unknown): Promise<unknown> => {
      const result = await answer(route, body)
      if (result instanceof ReadyJson) return new Response(result.body).json()
      return result instanceof Response ? result.json() : JSON.parse(JSON.stringify(result))
    },
    seeFolder: () => onFolderChange(),
    setSettings: (given: object) => {
      settings = settingsSchema.parse(given)
      bus.publish('settings.changed', { settings })
    },
    timers: () => timers.size,
    /** Advances time and runs every timer that is due once. */
    advance: (ms: number) => {
      nowMs += ms
      for (const timer of [...timers]) {
        if (timer.dueMs > nowMs || !timers.delete(timer)) continue
        timer.action()
      }
    },
  }
}
