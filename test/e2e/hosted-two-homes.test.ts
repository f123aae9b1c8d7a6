import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  startPostgres,
  type TestPostgres,
} from '../../packages/hosted/src/database/testing/start-postgres.ts'
import { type Cli, createCli } from './cli-process.ts'
import type { SessionEvent } from './hosted/follow-plan.ts'
import { createPlannedModel, type Plan } from './hosted/plan.ts'
import { type HostedProcess, startHostedProcess } from './hosted-process.ts'
import { type StandInMessages, startStandInMessages } from './stand-in-messages.ts'

let postgres: TestPostgres
let vendor: StandInMessages
let first: Machine
let second: Machine
const model = createPlannedModel()
/** Ended after each test, also after one that fails. */
const started: HostedProcess[] = []

/** A machine with its own data home; all share the store and the master key. */
interface Machine {
  cli: Cli
  start: () => Promise<HostedProcess>
  client: (server: HostedProcess) => Anthropic
}

beforeEach(async () => {
  postgres = await startPostgres()
  vendor = await startStandInMessages(model.answer)
  const env = {
    LLM_PROVIDER: 'anthropic',
    LLM_BASE_URL: vendor.address,
    LLM_API_KEY: 'sk-stand-in',
    DATABASE_URL: await postgres.createDatabase(),
    STEWARD_HOSTED_MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const createMachine = (): Machine => {
    const cli = createCli()
    return {
      cli,
      start: async () => {
        const server = await startHostedProcess(cli, env)
        started.push(server)
        return server
      },
      client: ({ address }) =>
        new Anthropic({
          apiKey: readFileSync(join(cli.home, 'hosted/own.key'), 'utf8').trim(),
          baseURL: address,
        }),
    }
  }
  first = createMachine()
  second = createMachine()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()))
  await vendor.stop()
  await postgres.stop()
  for (const { cli } of [first, second]) cli.remove()
})

const bash = (command: string) => ({ tool: 'bash', input: { command } })
const messageOf = (plan: Plan) => ({
  type: 'user.message' as const,
  content: [{ type: 'text' as const, text: JSON.stringify(plan) }],
})
const resultsOf = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'agent.tool_result'
      ? (event.content ?? []).flatMap((each) => (each.type === 'text' ? [each.text.trim()] : []))
      : [],
  )
const errorsOf = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'session.error' ? [event.error.message ?? ''] : []))

const createSession = async (client: Anthropic, plan: Plan): Promise<string> => {
  const agent = await client.beta.agents.create({
    name: 'worker',
    model: 'claude-sonnet-4-5',
    tools: [{ type: 'agent_toolset_20260401' }],
  })
  const environment = await client.beta.environments.create({ name: 'anywhere' })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    initial_events: [messageOf(plan)],
  })
  return session.id
}

const listEvents = async (client: Anthropic, sessionId: string): Promise<SessionEvent[]> => {
  const events: SessionEvent[] = []
  for await (const event of client.beta.sessions.events.list(sessionId, { limit: 1000 })) {
    events.push(event)
  }
  return events
}

/** All events, once the turn of the last message has ended. */
const waitForEnd = async (client: Anthropic, sessionId: string): Promise<SessionEvent[]> => {
  let events: SessionEvent[] = []
  const isOver = async (): Promise<boolean> => {
    events = await listEvents(client, sessionId)
    const message = events.findLastIndex(({ type }) => type === 'user.message')
    return events.findLastIndex(({ type }) => type === 'session.status_idle') > message
  }
  await expect.poll(isOver, { timeout: 60_000 }).toBe(true)
  return events
}

const takeTurn = async (client: Anthropic, sessionId: string, plan: Plan) => {
  await client.beta.sessions.events.send(sessionId, { events: [messageOf(plan)] })
  return waitForEnd(client, sessionId)
}

const contentOf = async (client: Anthropic, sessionId: string): Promise<Record<string, string>> => {
  const found: Record<string, string> = {}
  for await (const file of client.beta.files.list({ scope_id: sessionId })) {
    found[file.filename] = await (await client.beta.files.download(file.id)).text()
  }
  return found
}

test('the files of a session follow it to a machine with another data home, and back', async () => {
  const one = await first.start()
  const sessionId = await createSession(first.client(one), {
    name: 'begin',
    steps: [
      bash('mkdir -p a/b && echo kept > a/b/note && ln -s /etc/hostname link && chmod 750 a'),
      bash('echo report > /mnt/session/outputs/report.md'),
    ],
  })
  await waitForEnd(first.client(one), sessionId)
  const other = await second.start()
  // A server elsewhere serves the outputs while the session is at home on the first machine.
  expect(await contentOf(second.client(other), sessionId)).toEqual({ 'report.md': 'report\n' })
  await one.kill()

  const client = second.client(other)
  const look =
    'cat a/b/note; readlink link; stat -c %a a; echo more >> /mnt/session/outputs/report.md'
  const moved = await takeTurn(client, sessionId, { name: 'go-on', steps: [bash(look)] })
  expect(resultsOf(moved).slice(-2)).toEqual([
    '[this session continues on another machine; programs that ran have ended]',
    'kept\n/etc/hostname\n750',
  ])
  expect(errorsOf(moved)).toEqual([])
  expect(await contentOf(client, sessionId)).toEqual({ 'report.md': 'report\nmore\n' })
  await other.kill()

  const again = await first.start()
  const back = first.client(again)
  const all = await takeTurn(back, sessionId, {
    name: 'back',
    steps: [bash('cat /mnt/session/outputs/report.md')],
  })
  expect(resultsOf(all).at(-1)).toBe('report\nmore')
  await again.stop()
}, 180_000)

test('what a killed machine had not saved is reported to the model and in the log', async () => {
  const one = await first.start()
  const started = first.client(one)
  const sessionId = await createSession(started, { name: 'saved', steps: [bash('echo 1 > saved')] })
  await waitForEnd(started, sessionId)
  await started.beta.sessions.events.send(sessionId, {
    events: [
      messageOf({
        name: 'cut',
        steps: [bash('echo 2 > lost'), bash('touch sleeping; sleep 10'), bash('ls')],
      }),
    ],
  })
  // The call is in the log before it runs, and a call that has not begun would run elsewhere.
  const isSleeping = (): boolean =>
    readdirSync(first.cli.home, { recursive: true, encoding: 'utf8' }).some((path) =>
      path.endsWith('/sleeping'),
    )
  await expect.poll(isSleeping, { timeout: 60_000 }).toBe(true)
  await one.kill()

  const other = await second.start()
  const events = await waitForEnd(second.client(other), sessionId)
  const loss =
    /^this session continues on another machine with its files as of \S+: changes after that are lost$/
  expect(errorsOf(events)).toEqual([expect.stringMatching(loss)])
  const [note, listed] = resultsOf(events).slice(-2)
  expect(note).toMatch(/changes after that are lost; programs that ran have ended\]$/)
  expect(listed).toBe('saved')
  await other.stop()
}, 180_000)
