import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  startPostgres,
  type TestPostgres,
} from '../../packages/hosted/src/database/testing/start-postgres.ts'
import { skillFiles } from '../../packages/hosted/src/skills/testing/skill-files.ts'
import { type Cli, createCli } from './cli-process.ts'
import { checkSeen, readLog } from './hosted/check-log.ts'
import {
  checkLater,
  checkSession,
  checkThread,
  checkVersions,
  checkWorkspace,
  leadPlan,
  lookPlan,
  type Outcome,
  outcomesOf,
  workPlan,
} from './hosted/delegated-plan.ts'
import { drawKills, type Kind } from './hosted/draw-kills.ts'
import { type Fleet, startFleet } from './hosted/fleet.ts'
import { followPlan, type SessionEvent } from './hosted/follow-plan.ts'
import { createPlannedModel, type PlannedModel } from './hosted/plan.ts'
import { type StandInMessages, startStandInMessages } from './stand-in-messages.ts'

/** A slice of the 200 sessions that `npm run chaos:hosted` plays. */
const SESSIONS = Number(process.env.STEWARD_CHAOS_SESSIONS ?? 10)
/** At least: two of the coordinator, five of the thread, and three of a later turn. */
const QUESTIONS = SESSIONS * 10
const KILLS = SESSIONS < 100 ? { server: 1, brain: 2 } : { server: 3, brain: 6 }

let homes: Cli[]
let model: PlannedModel
let vendor: StandInMessages
let fleet: Fleet | undefined
let postgres: TestPostgres | undefined
let env: Record<string, string>

beforeEach(async () => {
  homes = [createCli(), createCli()]
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
  for (const home of homes) home.remove()
})

type Counts = Readonly<Record<Kind, number>>

const killAtRandom = ({ kill }: Fleet, running: Counts, kills: Counts): (() => Promise<void>) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const drawn = drawKills(seed, { running, kills, between: [5, QUESTIONS - 10] })
  console.info(
    `seed ${seed}: ${drawn.map(({ kind, question }) => `${kind} at ${question}`).join(', ')}`,
  )
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

const listAll = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const each of list) all.push(each)
  return all
}

const makeAgents = async (client: Anthropic): Promise<string> => {
  const skill = await client.beta.skills.create({
    files: skillFiles('tally', 'Says how to count.'),
  })
  const common = {
    model: 'claude-sonnet-4-5',
    tools: [{ type: 'agent_toolset_20260401' as const }],
  }
  const worker = await client.beta.agents.create({
    ...common,
    name: 'worker',
    skills: [{ type: 'custom', skill_id: skill.id }],
  })
  const lead = await client.beta.agents.create({
    ...common,
    name: 'lead',
    multiagent: { type: 'coordinator', agents: [worker.id] },
  })
  return lead.id
}

interface Played {
  sessionId: string
  name: string
  /** What its calls returned so far. */
  outcomes: Outcome[]
  hasMoved: boolean
}

const playOne = async (
  clientAt: (place: number) => Anthropic,
  ids: { agent: string; environment_id: string },
  count: number,
): Promise<Played> => {
  const name = `plan-${count}`
  const client = clientAt(count)
  const store = await client.beta.memoryStores.create({ name })
  const session = await client.beta.sessions.create({
    ...ids,
    title: name,
    resources: [{ type: 'memory_store', memory_store_id: store.id, access: 'read_write' }],
  })
  const [memory] = session.resources
  const work = workPlan(name, memory?.mount_path ?? '')
  const text = JSON.stringify(leadPlan(name, work))
  await client.beta.sessions.events.send(session.id, {
    events: [{ type: 'user.message', content: [{ type: 'text', text }] }],
  })
  let attempts = count
  const followed = await followPlan(() => clientAt(attempts++), session.id)
  const { sessions, memoryStores } = clientAt(count).beta
  const events: SessionEvent[] = await listAll(sessions.events.list(session.id, { limit: 1000 }))
  checkSession(events)
  checkSeen(events, followed)
  const threads = await listAll(sessions.threads.list(session.id))
  expect(threads.map(({ status }) => status)).toEqual(['idle', 'idle'])
  const own = await listAll(
    sessions.threads.events.list(threads[1]?.id ?? '', { session_id: session.id, limit: 1000 }),
  )
  checkThread(own, work)
  const outcomes = outcomesOf(own)
  checkWorkspace(outcomes)
  const versions = await listAll(memoryStores.memoryVersions.list(store.id, { view: 'full' }))
  checkVersions(versions.map(({ content }) => content ?? '').toReversed(), outcomes)
  const played = { sessionId: session.id, name, outcomes, hasMoved: false }
  // A call with a logged response is not repeated; only interrupted calls are.
  expectAskedOnce(name, events)
  expectAskedOnce(work.name, own)
  return await lookAgain(() => clientAt(attempts++), played)
}

const expectAskedOnce = (plan: string, log: readonly SessionEvent[]): void => {
  for (const step of [0, 1, 2, 3, 4])
    expect(model.asked.get(`${plan}#${step}`) ?? 0).toBeLessThanOrEqual(1 + readLog(log).cutOff)
}

/** Another turn, which finds the files of the turn before. */
const lookAgain = async (
  nextClient: () => Anthropic,
  { sessionId, name, outcomes, hasMoved }: Played,
): Promise<Played> => {
  const { events } = nextClient().beta.sessions
  const before = await listAll(events.list(sessionId, { limit: 1000 }))
  const look = lookPlan(`${name}-${before.length}`)
  await events.send(sessionId, {
    events: [{ type: 'user.message', content: [{ type: 'text', text: JSON.stringify(look) }] }],
  })
  await followPlan(nextClient, sessionId)
  const all: SessionEvent[] = await listAll(events.list(sessionId, { limit: 1000 }))
  const later = outcomesOf(all.slice(before.length))
  const movedNow = checkLater(outcomes, later)
  expectAskedOnce(look.name, all)
  return { sessionId, name, outcomes: [...outcomes, ...later], hasMoved: hasMoved || movedNow }
}

const playAll = async (running: Counts, kills: Counts, brainHomes: readonly Cli[]) => {
  const [home] = homes
  if (home === undefined) throw new Error('there is no data home')
  const started = await startFleet(home, env, running, brainHomes)
  fleet = started
  const key = readFileSync(join(home.home, 'hosted/own.key'), 'utf8').trim()
  const clientAt = (place: number): Anthropic =>
    new Anthropic({
      apiKey: key,
      baseURL: started.addresses[place % started.addresses.length] ?? '',
      maxRetries: 12,
    })
  const agent = await makeAgents(clientAt(0))
  const environment = await clientAt(0).beta.environments.create({
    name: 'anywhere',
    config: { type: 'cloud', networking: { type: 'limited' } },
  })
  const allKilled = killAtRandom(started, running, kills)
  const ids = { agent, environment_id: environment.id }
  const play = Promise.all(
    Array.from({ length: SESSIONS }, (_, count) => playOne(clientAt, ids, count)),
  )
  const played = await Promise.race([play, started.failed])
  await allKilled()
  return { played, clientAt, fleet: started }
}

test('sessions with skills, memory and threads survive kills on SQLite', async () => {
  const { played } = await playAll({ server: 1, brain: 1 }, KILLS, homes.slice(0, 1))
  expect(played.filter(({ hasMoved }) => hasMoved)).toEqual([])
})

test('and on Postgres, where brains have data homes of their own', async () => {
  postgres = await startPostgres()
  env = {
    ...env,
    DATABASE_URL: await postgres.createDatabase(),
    STEWARD_HOSTED_MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const { played, clientAt, fleet } = await playAll({ server: 1, brain: 2 }, KILLS, homes)
  // Without the one home and then without the other, every session has to move.
  let moving = played
  for (const place of homes.keys())
    await fleet.withoutBrain(place, async () => {
      const turn = Promise.all(moving.map((each) => lookAgain(() => clientAt(0), each)))
      moving = await Promise.race([turn, fleet.failed])
    })
  expect(moving.filter(({ hasMoved }) => !hasMoved)).toEqual([])
})
