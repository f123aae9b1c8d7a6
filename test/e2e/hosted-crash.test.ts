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
import { drawKills, type Kind } from './hosted/draw-kills.ts'
import { type Fleet, startFleet } from './hosted/fleet.ts'
import { followPlan, type SessionEvent } from './hosted/follow-plan.ts'
import { createPlannedModel, type Plan, type PlannedModel } from './hosted/plan.ts'
import { describeTimes, timesToResume } from './hosted/time-to-resume.ts'
import { type StandInMessages, startStandInMessages } from './stand-in-messages.ts'

const SESSIONS = 200
/** One in this many sessions uses a real sandbox; the others use client tools. */
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
let fleet: Fleet | undefined
let postgres: TestPostgres | undefined
let env: Record<string, string>

beforeEach(async () => {
  cli = createCli()
  model = createPlannedModel()
  vendor = await startStandInMessages(model.answer)
  env = { LLM_PROVIDER: 'anthropic', LLM_BASE_URL: vendor.address, LLM_API_KEY: 'sk-stand-in' }
})

afterEach(async () => {
  await fleet?.stop()
  fleet = undefined
  await vendor.stop()
  await postgres?.stop()
  postgres = undefined
  cli.remove()
})

type Counts = Readonly<Record<Kind, number>>

/** Kills servers and brains at random model requests, one after the other. */
const killAtRandom = ({ kill }: Fleet, running: Counts, kills: Counts): (() => Promise<void>) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const drawn = drawKills(seed, { running, kills, between: [10, QUESTIONS - 50] })
  const told = drawn.map(({ kind, place, question }) => `${kind} ${place} at ${question}`)
  console.info(`seed ${seed}: ${told.join(', ')}`)
  const done = drawn.map(() => Promise.withResolvers<void>())
  let last: Promise<void> = Promise.resolve()
  model.onQuestion((count) => {
    for (const [place, victim] of drawn.entries())
      if (victim.question === count) {
        last = last.then(() => kill(victim))
        last.then(done[place]?.resolve, done[place]?.reject)
      }
  })
  return async () => {
    await Promise.all(done.map(({ promise }) => promise))
  }
}

const playAll = async (running: Counts, kills: Counts): Promise<void> => {
  fleet = await startFleet(cli, env, running)
  await Promise.race([playOn(fleet, running, kills), fleet.failed])
}

const playOn = async (started: Fleet, running: Counts, kills: Counts): Promise<void> => {
  const { addresses, killed } = started
  const key = readFileSync(join(cli.home, 'hosted/own.key'), 'utf8').trim()
  const clientAt = (place: number): Anthropic =>
    new Anthropic({
      apiKey: key,
      baseURL: addresses[place % addresses.length] ?? '',
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
  const allKilled = killAtRandom(started, running, kills)
  const stoodMs: number[] = []
  const awayMs: number[] = []

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
      const followed = await followPlan(() => clientAt(attempts++), session.id)
      const events: SessionEvent[] = []
      const list = clientAt(count).beta.sessions.events.list(session.id, { limit: 1000 })
      for await (const event of list) events.push(event)
      const { words, cutOff } = readLog(events)
      expect(words).toEqual(expectedLog(wanted, CUSTOM))
      checkSeen(events, followed)
      stoodMs.push(...timesToResume(events, killed))
      awayMs.push(...followed.awayMs)
      // A call with a logged response is not repeated; only interrupted calls are.
      for (const step of [0, 1, 2])
        expect(model.asked.get(`${wanted.name}#${step}`)).toBeLessThanOrEqual(1 + cutOff)
    }),
  )
  await allKilled()
  console.info(`sessions that were cut off and went on: ${describeTimes(stoodMs)}`)
  console.info(`streams that were cut off and came back: ${describeTimes(awayMs)}`)
  const titles: unknown[] = []
  for await (const { title } of clientAt(0).beta.sessions.list({ limit: 100 })) titles.push(title)
  expect(titles.toSorted()).toEqual(
    Array.from({ length: SESSIONS }, (_, count) => planOf(count).name).toSorted(),
  )
}

test('200 sessions on SQLite end as if neither server nor brain had been killed', async () => {
  await playAll({ server: 1, brain: 1 }, { server: 2, brain: 2 })
})

test('200 sessions on Postgres end the same way, with three servers and two brains that share it', async () => {
  postgres = await startPostgres()
  env = { ...env, DATABASE_URL: await postgres.createDatabase() }
  await playAll({ server: 3, brain: 2 }, { server: 2, brain: 3 })
})
