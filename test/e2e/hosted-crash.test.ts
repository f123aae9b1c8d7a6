import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  startPostgres,
  type TestPostgres,
} from '../../packages/hosted/src/database/testing/start-postgres.ts'
import { type Cli, createCli } from './cli-process.ts'
import { checkSeen, expectedLog, readLog } from './hosted/check-log.ts'
import { followPlan, type SessionEvent } from './hosted/follow-plan.ts'
import { createPlannedModel, type Plan, type PlannedModel } from './hosted/plan.ts'
import { type HostedProcess, startHostedProcess } from './hosted-process.ts'
import { type StandInMessages, startStandInMessages } from './stand-in-messages.ts'

const SESSIONS = 200
/** Every so many sessions, one works in a real sandbox; the others ask their client. */
const SANDBOX_EVERY = 20
const CUSTOM = new Set(['ask_person'])

const planOf = (count: number): Plan => ({
  name: `plan-${count}`,
  steps: [
    { tool: 'ask_person', input: { question: `which of ${count}?` } },
    count % SANDBOX_EVERY === 0
      ? { tool: 'bash', input: { command: `echo ${count} >> lines; wc -l < lines` } }
      : { tool: 'ask_person', input: { question: 'sure?' } },
  ],
})
const QUESTIONS = SESSIONS * 3

let cli: Cli
let model: PlannedModel
let vendor: StandInMessages
let servers: HostedProcess[] = []
let postgres: TestPostgres | undefined
let env: Record<string, string>

beforeEach(async () => {
  cli = createCli()
  model = createPlannedModel()
  vendor = await startStandInMessages(model.answer)
  env = { LLM_PROVIDER: 'anthropic', LLM_BASE_URL: vendor.address, LLM_API_KEY: 'sk-stand-in' }
})

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  servers = []
  await vendor.stop()
  await postgres?.stop()
  postgres = undefined
  cli.remove()
})

/** Kills a server at random questions of the model, and starts it again at its port. */
const killAtRandom = (kills: number): { settled: () => Promise<void>; count: () => number } => {
  const at = new Set<number>()
  while (at.size < kills) at.add(10 + Math.floor(Math.random() * (QUESTIONS - 60)))
  let last: Promise<void> = Promise.resolve()
  let done = 0
  model.onQuestion((count) => {
    if (!at.has(count)) return
    last = last.then(async () => {
      const place = Math.floor(Math.random() * servers.length)
      const victim = servers[place]
      if (victim === undefined) throw new Error('there is no server')
      await victim.kill()
      done += 1
      servers[place] = await startHostedProcess(cli, env, Number(new URL(victim.address).port))
    })
  })
  return { settled: () => last, count: () => done }
}

const playAll = async (kills: number): Promise<void> => {
  const key = readFileSync(join(cli.home, 'hosted/own.key'), 'utf8').trim()
  const clientAt = (place: number): Anthropic =>
    new Anthropic({
      apiKey: key,
      baseURL: servers[place % servers.length]?.address ?? '',
      maxRetries: 12,
    })
  const first = clientAt(0)
  const agent = await first.beta.agents.create({
    name: 'planner',
    model: 'claude-sonnet-4-5',
    tools: [
      { type: 'agent_toolset_20260401' },
      {
        type: 'custom',
        name: 'ask_person',
        description: 'Asks the person.',
        input_schema: { type: 'object', properties: { question: { type: 'string' } } },
      },
    ],
  })
  const environment = await first.beta.environments.create({ name: 'anywhere' })
  const killer = killAtRandom(kills)

  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, count) => {
      const wanted = planOf(count)
      const session = await clientAt(count).beta.sessions.create({
        agent: agent.id,
        environment_id: environment.id,
        title: wanted.name,
        initial_events: [
          { type: 'user.message', content: [{ type: 'text', text: JSON.stringify(wanted) }] },
        ],
      })
      let attempts = count
      const seen = await followPlan(() => clientAt(attempts++), session.id)
      const events: SessionEvent[] = []
      const list = clientAt(count).beta.sessions.events.list(session.id, { limit: 1000 })
      for await (const event of list) events.push(event)
      const { words, cutOff } = readLog(events)
      expect(words).toEqual(expectedLog(wanted, CUSTOM))
      checkSeen(events, seen)
      // A call that was answered in the log is not made again: only those that were cut off are.
      for (const step of [0, 1, 2])
        expect(model.asked.get(`${wanted.name}#${step}`)).toBeLessThanOrEqual(1 + cutOff)
    }),
  )
  await killer.settled()
  expect(killer.count()).toBe(kills)
  const titles: unknown[] = []
  for await (const { title } of clientAt(0).beta.sessions.list({ limit: 100 })) titles.push(title)
  expect(titles.toSorted()).toEqual(
    Array.from({ length: SESSIONS }, (_, count) => planOf(count).name).toSorted(),
  )
}

test('200 sessions on SQLite end as if their server had never been killed', async () => {
  servers = [await startHostedProcess(cli, env)]
  await playAll(4)
})

test('200 sessions on Postgres end so too, with three servers that are killed in turn', async () => {
  postgres = await startPostgres()
  env = { ...env, DATABASE_URL: await postgres.createDatabase() }
  servers = [await startHostedProcess(cli, env)]
  servers.push(...(await Promise.all([1, 2].map(() => startHostedProcess(cli, env)))))
  await playAll(6)
})
