import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  startPostgres,
  type TestPostgres,
} from '../../packages/hosted/src/database/testing/start-postgres.ts'
import { createMachine, type Machine } from './hosted/machine.ts'
import { createPlannedModel } from './hosted/plan.ts'
import {
  bash,
  contentOf,
  createSession,
  errorsOf,
  messageOf,
  resultsOf,
  takeTurn,
  waitForEnd,
} from './hosted/turns.ts'
import { type StandInMessages, startStandInMessages } from './stand-in-messages.ts'

let postgres: TestPostgres
let vendor: StandInMessages
let first: Machine
let second: Machine
const model = createPlannedModel()

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
  first = createMachine(env)
  second = createMachine(env)
})
afterEach(async () => {
  await Promise.all([first, second].map((machine) => machine.remove()))
  await vendor.stop()
  await postgres.stop()
})

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
