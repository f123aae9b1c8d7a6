import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Announcement,
  isJsonObject,
  type Route,
  settings as settingsSchema,
} from '@steward/contract'
import { createEnvironment, createRedactor, resolveHome, secretsOf } from '@steward/platform'
import { onTestFinished } from 'vitest'
import { createBus } from '../../../bus/bus.ts'
import type { AnnouncementEnded } from '../../../ports.ts'
import { createVirtualClock } from '../../../testing/virtual-clock.ts'
import type { ProgramEnd, ProgramRun } from '../players/programs.ts'
import type { VoicePorts } from '../ports.ts'
import { createVoiceModule } from '../voice-module.ts'
import { until } from './until.ts'

export const NOW = Date.UTC(2026, 2, 7, 12, 0, 0)

/** A started program that waits for the test to end it. */
export interface StartedProgram {
  name: string
  run: ProgramRun
  end: (end?: ProgramEnd) => void
  isOver: () => boolean
}

export interface OpenVoiceOptions {
  root?: string
  settings?: Record<string, unknown>
  variables?: Record<string, string>
  installed?: readonly string[]
  platform?: NodeJS.Platform
  nowMs?: number
  fetch?: VoicePorts['fetch']
}

const createRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'steward-voice-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

/**
 * The module on real files; time and programs are controlled by the test. Speaks with macOS's `say`
 * by default.
 */
export const openVoice = async (options: OpenVoiceOptions = {}) => {
  const { root = createRoot(), variables = {}, platform = 'darwin' } = options
  const home = resolveHome({ STEWARD_HOME: join(root, 'home') })
  for (const folder of [home.voice, home.databases]) mkdirSync(folder, { recursive: true })
  const lines: string[] = []
  const write = (line: string) => {
    lines.push(line)
  }
  const log = { info: write, warn: write, error: write }
  const bus = createBus(log)
  const clock = createVirtualClock(options.nowMs ?? NOW)
  const started: StartedProgram[] = []
  const environment = createEnvironment(variables, {})
  let installed = options.installed ?? ['say']
  let settings = settingsSchema.parse(options.settings ?? {})
  const module = createVoiceModule({
    home,
    homedir: root,
    bus,
    log,
    now: clock.now,
    setTimer: clock.setTimer,
    settings: () => settings,
    environment: () => environment,
    redactor: () => createRedactor(secretsOf(environment)),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    platform,
    programs: {
      find: (name) => (installed.includes(name) ? `/programs/${name}` : undefined),
      run: (path, run) =>
        new Promise((resolve) => {
          let isOver = false
          const finish = (end: ProgramEnd) => {
            isOver = true
            resolve(end)
          }
          run.signal.addEventListener('abort', () => finish({ is: 'aborted' }))
          started.push({
            name: path.replace('/programs/', ''),
            run,
            end: (end = { is: 'ended', code: 0, stderr: '' }) => finish(end),
            isOver: () => isOver,
          })
        }),
    },
  })
  await module.start?.()
  let isRunning = true
  const stop = async () => {
    if (isRunning) await module.stop?.()
    isRunning = false
  }
  onTestFinished(stop)

  const ended: AnnouncementEnded[] = []
  const offer = (announcement: Announcement) =>
    module.speech.announce(announcement, (end) => {
      ended.push(end)
    })
  const events = (): Record<string, unknown>[] =>
    readFileSync(join(home.voice, 'voice-events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const row: unknown = JSON.parse(line)
        if (!isJsonObject(row)) throw new Error('no row')
        return row
      })
  const call = async (
    route: Route,
    body?: unknown,
    params: unknown = {},
    signal = new AbortController().signal,
    query: unknown = {},
  ): Promise<unknown> => {
    const handler = module.handlers.find((each) => each.route === route)
    if (handler === undefined) throw new Error(`no handler for ${route.path}`)
    return handler.answer({ params, query, body }, { signal, header: () => undefined })
  }
  return {
    root,
    home,
    module,
    bus,
    clock,
    log: lines,
    started,
    ended,
    stop,
    offer,
    events,
    call,
    install: (names: readonly string[]) => {
      installed = names
    },
    setSettings: (given: Record<string, unknown>) => {
      settings = settingsSchema.parse(given)
      bus.publish('settings.changed', { settings })
    },
    /** The next program, once it runs. */
    nextProgram: async (): Promise<StartedProgram> => {
      await until(() => started.length > 0, 'a program')
      const [program] = started.splice(0, 1)
      if (program === undefined) throw new Error('no program')
      return program
    },
    /** Lets every line be spoken to its end; returns their texts in order. */
    hearAll: async (count: number): Promise<(string | undefined)[]> => {
      const heard: (string | undefined)[] = []
      while (heard.length < count) {
        await until(() => started.length > 0, `line ${heard.length + 1}`)
        const [program] = started.splice(0, 1)
        heard.push(program?.run.stdin)
        program?.end()
      }
      return heard
    },
  }
}
