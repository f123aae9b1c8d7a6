import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, type ModelPrices, type Route, type UsageBudget, usageReport } from '@steward/contract'
import { createRedactor, resolveHome, type StartTimer, startSystemTimer } from '@steward/platform'
import { onTestFinished } from 'vitest'
import { createBus } from '../../../bus/bus.ts'
import type { HostedUsage } from '../../../ports.ts'
import { HOOK_WAIT_MS } from '../record-failures.ts'
import { createUsageModule, FIRST_LOOK_MS, type UsageModule } from '../usage-module.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Nothing else starts here that the first look would delay. */
const startSoon: StartTimer = (ms, onElapsed) =>
  startSystemTimer(ms <= Math.max(FIRST_LOOK_MS, HOOK_WAIT_MS) ? 0 : ms, onElapsed)

/** A person with sessions of Claude Code, and a data home, for one test. */
export const createUsagePlace = () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-usage-module-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['home/state', 'home/MEMORY/STATE', '.claude/projects/shop']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  const home = resolveHome({ STEWARD_HOME: join(root, 'home') }, root)
  const sent: string[] = []
  const hosted: HostedUsage = { store: async () => undefined }
  const place = {
    root,
    home,
    budgets: [] as UsageBudget[],
    prices: {} as ModelPrices,
    /** The messages of notices. */
    sent,
    bus: createBus(log),
    append: (id: string, session = 's1', input_tokens = 10): void => {
      const message = { id, model: 'claude-opus-5-5', usage: { input_tokens, output_tokens: 20 } }
      const timestamp = new Date().toISOString()
      const row = { type: 'assistant', sessionId: session, timestamp, message }
      const path = join(root, `.claude/projects/shop/${session}.jsonl`)
      appendFileSync(path, `${JSON.stringify(row)}\n`)
    },
    hosted,
    open: (setTimer: StartTimer = startSoon): UsageModule =>
      createUsageModule({
        home,
        log,
        bus: place.bus,
        now: Date.now,
        settings: () => ({ usage: { budgets: place.budgets, prices: place.prices } }),
        redactor: () => createRedactor({}),
        notices: {
          send: async ({ message }) => {
            sent.push(message)
            return { stored: true }
          },
        },
        asking: { countOpen: async () => 2 },
        setTimer,
        hosted: place.hosted,
        place: { env: {}, homedir: root, home: home.root },
      }),
  }
  return place
}

export const callRoute = async (module: UsageModule, route: Route, body?: unknown) => {
  const handler = module.handlers.find((each) => each.route === route)
  const context = { signal: new AbortController().signal, header: () => undefined }
  const query = route === API.getUsage ? API.getUsage.query.parse({}) : {}
  return handler?.answer({ params: {}, query, body }, context)
}

export const askUsage = async (module: UsageModule) =>
  usageReport.parse(await callRoute(module, API.getUsage))
