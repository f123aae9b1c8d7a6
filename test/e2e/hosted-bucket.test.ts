import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startPostgres } from '../../packages/hosted/src/database/testing/start-postgres.ts'
import {
  S3_KEYS,
  type S3Server,
  startS3Server,
} from '../../packages/hosted/src/snapshots/bucket/testing/s3-server.ts'
import { createMachine, type Machine } from './hosted/machine.ts'
import { createPlannedModel } from './hosted/plan.ts'
import {
  bash,
  contentOf,
  createSession,
  errorsOf,
  resultsOf,
  takeTurn,
  waitForEnd,
} from './hosted/turns.ts'
import { type StandInMessages, startStandInMessages } from './stand-in-messages.ts'

let vendor: StandInMessages
let s3: S3Server
let env: Record<string, string>
/** Undone after each test, in reverse order. */
const undo: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  vendor = await startStandInMessages(createPlannedModel().answer)
  s3 = await startS3Server()
  undo.push(vendor.stop, s3.stop)
  env = {
    LLM_PROVIDER: 'anthropic',
    LLM_BASE_URL: vendor.address,
    LLM_API_KEY: 'sk-stand-in',
    STEWARD_HOSTED_MASTER_KEY: randomBytes(32).toString('base64'),
    SNAPSHOT_KEY_ID: S3_KEYS.id,
    SNAPSHOT_KEY: S3_KEYS.secret,
  }
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const openMachine = (given: Record<string, string> = {}): Machine => {
  const machine = createMachine({ ...env, ...given })
  undo.push(machine.remove)
  const snapshotBucket = {
    endpoint: s3.endpoint,
    bucket: s3.bucket,
    region: s3.region,
    accessKeyId: 'SNAPSHOT_KEY_ID',
    secretAccessKey: 'SNAPSHOT_KEY',
  }
  mkdirSync(machine.cli.home, { recursive: true })
  machine.cli.write('settings.json', JSON.stringify({ hosted: { snapshotBucket } }))
  return machine
}

const begin = {
  name: 'begin',
  steps: [
    bash('mkdir -p a && echo kept > a/note && ln -s /etc/hostname link'),
    bash('echo report > /mnt/session/outputs/report.md'),
  ],
}
const look = { name: 'go-on', steps: [bash('cat a/note; readlink link')] }

/** Plays a session on one machine and goes on with it on another. */
const move = async (one: Machine, other: Machine, carry: () => void): Promise<void> => {
  const server = await one.start()
  const sessionId = await createSession(one.client(server), begin)
  await waitForEnd(one.client(server), sessionId)
  await expect.poll(() => s3.objects.size).toBe(1)
  await server.stop()
  carry()

  const next = await other.start()
  const client = other.client(next)
  expect(await contentOf(client, sessionId)).toEqual({ 'report.md': 'report\n' })
  const events = await takeTurn(client, sessionId, look)
  expect(resultsOf(events).slice(-2)).toEqual([
    '[this session continues on another machine; programs that ran have ended]',
    'kept\n/etc/hostname',
  ])
  expect(errorsOf(events)).toEqual([])

  await client.beta.sessions.delete(sessionId)
  await expect.poll(() => s3.objects.size).toBe(0)
  await next.stop()
  expect([server.stderr(), next.stderr()]).toEqual(['', ''])
}

test('a session on Postgres moves to another brain with its files from the bucket', async () => {
  const postgres = await startPostgres()
  undo.push(() => postgres.stop())
  const DATABASE_URL = await postgres.createDatabase()
  await move(openMachine({ DATABASE_URL }), openMachine({ DATABASE_URL }), () => undefined)
}, 180_000)

test('a copy of the SQLite store is enough to continue a session elsewhere', async () => {
  const one = openMachine()
  const other = openMachine()
  await move(one, other, () => {
    const store = 'state/hosted.sqlite'
    mkdirSync(join(other.cli.home, 'state'), { recursive: true })
    cpSync(join(one.cli.home, store), join(other.cli.home, store))
  })
}, 180_000)

test('an object that is gone is reported to the model and in the log', async () => {
  const one = openMachine()
  const server = await one.start()
  const client = one.client(server)
  const sessionId = await createSession(client, begin)
  await waitForEnd(client, sessionId)
  await expect.poll(() => s3.objects.size).toBe(1)
  await server.stop()
  s3.objects.clear()
  const other = openMachine()
  mkdirSync(join(other.cli.home, 'state'), { recursive: true })
  cpSync(join(one.cli.home, 'state/hosted.sqlite'), join(other.cli.home, 'state/hosted.sqlite'))
  const next = await other.start()
  const events = await takeTurn(other.client(next), sessionId, {
    name: 'go-on',
    steps: [bash('ls')],
  })
  const loss = /^this session continues on another machine, and its files could not .* is missing$/
  expect(errorsOf(events)).toEqual([expect.stringMatching(loss)])
  expect(resultsOf(events).slice(-2)).toEqual([expect.stringMatching(/is missing\]$/), ''])
}, 180_000)

test('a wrong key ends the start with a remedy', async () => {
  const { cli } = openMachine()
  const { code, stderr } = await cli.run(['hosted', 'serve', '--port', '0'], {
    env: { ...env, SNAPSHOT_KEY: 'wrong' },
  })
  expect(code).toBe(5)
  expect(stderr).toContain('the secret SNAPSHOT_KEY does not belong to the key id')
  expect(stderr).toContain('Correct hosted.snapshotBucket in settings.json')
}, 60_000)
