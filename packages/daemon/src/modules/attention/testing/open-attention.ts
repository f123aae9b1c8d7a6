import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  API,
  type AttentionRequest,
  attentionEntry,
  isJsonObject,
  type Route,
  settings as settingsSchema,
} from '@steward/contract'
import { createRedactor, readSecurityEvents, resolveHome } from '@steward/platform'
import { createBus } from '../../../bus/bus.ts'
import type { HostedCall, Notice } from '../../../ports.ts'
import { createAttentionModule } from '../attention-module.ts'
import type { AttentionPorts } from '../ports.ts'

export const NOW = Date.UTC(2026, 10, 16, 12)

export const REQUEST: AttentionRequest = {
  id: 'abcdefgh12',
  host: 'claude',
  session_id: 'session-1',
  cwd: '/home/u/proj',
  reason: 'permission',
  tool_name: 'Bash',
  preview: '{}',
  detail: 'Bash: npm publish',
  asked: {
    decides: true,
    always: 'addRules Bash(npm publish)',
    questions: [],
    fields: [],
    takesText: false,
  },
  at: new Date(NOW).toISOString(),
  waitMs: 900_000,
}

interface Given {
  clock: Pick<AttentionPorts, 'now' | 'setTimer'>
  settings?: object
  environment?: Record<string, string>
  hostedCalls?: HostedCall[]
}

/** The module in a data home of its own, with its ports recorded. */
export const openAttention = async ({ clock, ...given }: Given) => {
  const root = mkdtempSync(join(tmpdir(), 'steward-attention-'))
  const home = resolveHome({ STEWARD_HOME: root })
  for (const folder of [home.stateDir, home.databases]) mkdirSync(folder, { recursive: true })
  const lines: string[] = []
  const say = (line: string): void => void lines.push(line)
  const log = { info: say, warn: say, error: say }
  const bus = createBus(log)
  const sent: Notice[] = []
  const withdrawn: string[] = []
  const decided: unknown[] = []
  const { hostedCalls = [], environment = {} } = given
  const settings = settingsSchema.parse(given.settings ?? {})
  const redactor = createRedactor({ KEY: 'Sup3rSecret' })
  const open = () =>
    createAttentionModule({
      home,
      bus,
      log,
      now: clock.now,
      setTimer: clock.setTimer,
      settings: () => settings,
      environment: () => environment,
      redactor: () => redactor,
      notices: {
        send: async (notice) => {
          sent.push(notice)
          return { stored: true }
        },
        withdraw: async (key) => void withdrawn.push(key),
      },
      hosted: {
        waiting: async () => hostedCalls,
        answer: async (call, decision) => {
          decided.push([call, decision])
          hostedCalls.splice(0)
        },
      },
      command: 'steward',
      fetch,
    })
  let module = open()
  await module.start?.()
  const stop = async (): Promise<void> => module.stop?.()
  const call = async (route: Route, input: { params?: unknown; body?: unknown } = {}) => {
    const handler = module.handlers.find((each) => each.route === route)
    const parsed = {
      params: route.params?.parse(input.params),
      query: undefined,
      body: route.body?.parse(input.body),
    }
    const about = { signal: new AbortController().signal, header: () => undefined }
    return handler?.answer(parsed, about)
  }
  return {
    ...{ home, lines, bus, sent, withdrawn, decided, call, stop },
    asking: () => module.asking,
    ask: (changes: Partial<AttentionRequest> = {}) =>
      call(API.askAttention, { body: { ...REQUEST, ...changes } }),
    answer: (id: string, body: unknown) => call(API.answerWaiting, { params: { id }, body }),
    list: async () => {
      const answer = await call(API.listWaiting)
      return attentionEntry.array().parse(isJsonObject(answer) ? answer.waiting : [])
    },
    /** The security log, newest first. */
    logged: async () => {
      const { events } = await readSecurityEvents(home, { limit: 100 }, redactor)
      return events.map(({ verdict, reason, target }) => `${verdict} ${reason} | ${target}`)
    },
    /** A new process on the same data home, after `stop`; `before` runs before it starts. */
    begin: async (before?: () => void): Promise<void> => {
      module = open()
      before?.()
      await module.start?.()
    },
    remove: async (): Promise<void> => {
      await stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
