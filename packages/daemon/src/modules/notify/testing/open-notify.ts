import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Announcement, ok, type Route, settings as settingsSchema } from '@steward/contract'
import { createNotifier, notifierMachine } from '@steward/notify'
import { createRedactor, resolveHome } from '@steward/platform'
import { onTestFinished } from 'vitest'
import { createBus } from '../../../bus/bus.ts'
import type {
  AnnouncementAccepted,
  AnnouncementEnded,
  AssistantCharacter,
  Speech,
} from '../../../ports.ts'
import { createNotifyModule } from '../notify-module.ts'

export const NOW = Date.UTC(2026, 2, 7, 15, 4, 5)
export const iso = (atMs: number): string => new Date(atMs).toISOString()

/** Push and chat settings without a listener, so that messages stay in the outbox. */
const SETTINGS = {
  notifications: {
    push: { enabled: true, topic: 'steward-0123456789abcdef', server: 'http://127.0.0.1:9' },
    chat: { enabled: true, webhook: 'http://127.0.0.1:9/hook' },
  },
}

interface Options {
  settings?: object
  /** The voice's answer; without one nothing is spoken. */
  voice?: Speech['announce']
  /** How the assistant says a message. */
  say?: AssistantCharacter['say']
}

/**
 * The module with a real outbox and work state; time, terminals and voice are controlled by the
 * test.
 */
export const openNotify = async ({
  settings = SETTINGS,
  voice,
  say = async (message) => ({ message, change: {} }),
}: Options = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'steward-notify-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = resolveHome({ STEWARD_HOME: root })
  for (const folder of [home.stateDir, home.databases]) mkdirSync(folder, { recursive: true })
  const lines: string[] = []
  const keep = (line: string): void => {
    lines.push(line)
  }
  const log = { info: keep, warn: keep, error: keep }
  const bus = createBus(log)
  let ids = 0
  const announced: { announcement: Announcement; ended?: (end: AnnouncementEnded) => void }[] = []
  const announce: Speech['announce'] = async (announcement, ended) => {
    if (voice === undefined) {
      const reason = 'no voice module is running'
      return { queued: false, id: `id-${++ids}`, queue_depth: 0, reason }
    }
    announced.push({ announcement, ended })
    return voice(announcement, ended)
  }
  let nowMs = NOW
  const timers: Array<() => void> = []
  const setTimer = (_: number, action: () => void) => {
    timers.push(action)
    return () => undefined
  }
  const shown: string[][] = []
  const current = settingsSchema.parse(settings)
  const ports = {
    home,
    bus,
    log,
    now: () => nowMs,
    setTimer,
    redactor: () => createRedactor({ KEY: 'Sup3rSecret' }),
    settings: () => current,
  }
  const notifier = createNotifier({
    ...notifierMachine(),
    ...ports,
    environment: () => ({}),
    // The notifier delivers by itself; nothing leaves this machine.
    fetch: () => Promise.reject(new Error('no network')),
  })
  const module = createNotifyModule({
    ...ports,
    notifier,
    character: { say },
    tabs: {
      run: async (argv) => {
        shown.push([...argv])
        return ok('')
      },
      writeTty: async () => ok(undefined),
    },
    speech: { announce },
  })
  await module.start?.()
  onTestFinished(async () => module.stop?.())

  return {
    module,
    home,
    bus,
    lines,
    announced,
    notifier,
    shown,
    advance: (ms: number) => {
      nowMs += ms
    },
    runTimers: () => {
      for (const action of timers.splice(0)) action()
    },
    writeWork: (sessions: object) => writeFileSync(home.workState, JSON.stringify({ sessions })),
    readWork: (): unknown => JSON.parse(readFileSync(home.workState, 'utf8')),
    /** Calls a route as a client does. */
    call: async (
      route: Route,
      input: { params?: unknown; body?: unknown; query?: unknown },
    ): Promise<unknown> => {
      const handler = module.handlers.find((each) => each.route === route)
      if (handler === undefined) throw new Error(`no handler for ${route.path}`)
      const parsed = {
        params: route.params?.parse(input.params),
        query: route.query?.parse(input.query ?? {}),
        body: route.body?.parse(input.body),
      }
      const call = { signal: new AbortController().signal, header: () => undefined }
      return JSON.parse(JSON.stringify(await handler.answer(parsed, call)))
    },
  }
}

/** A voice that accepts and records everything. */
export const acceptAll =
  (more: Partial<AnnouncementAccepted> = {}) =>
  async (): Promise<AnnouncementAccepted> => ({ queued: true, id: 'v1', queue_depth: 1, ...more })
