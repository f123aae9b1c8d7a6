import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDaemonClient, type DaemonClient } from '@steward/contract'
import { findFreePorts } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

let cli: Cli
let daemon: DaemonProcess
beforeEach(async () => {
  cli = createCli()
  const row = {
    ...{ timestamp: new Date().toISOString(), type: 'user_prompt', session_id: 'mine' },
    ...{ host: 'claude', cwd: '/mine', prompt: 'Repair the roof of the shed' },
  }
  write('MEMORY/OBSERVABILITY/tool-activity.jsonl', `${JSON.stringify(row)}\n`)
  write('MEMORY/KNOWLEDGE/Ideas/roof.md', '---\ntitle: Roof\n---\n\nTar keeps it dry.\n')
  daemon = await startDaemonProcess(cli, { args: ['--port', String(await findFreePorts(1))] })
})
afterEach(async () => {
  await clientOf(daemon)
    .call('removeDemo', { body: {} })
    .catch(() => undefined)
  await daemon.kill()
  cli.remove()
})

/** Into the data home. */
const write = (name: string, text: string): void => {
  const path = join(cli.home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const clientOf = ({ address, token }: DaemonProcess): DaemonClient =>
  createDaemonClient({ base: address, fetch, token: token() })

/** The demo's own daemon. */
const demoClient = (): DaemonClient => {
  const read = (name: string) => readFileSync(join(cli.home, 'demo', name), 'utf8')
  const { address } = z.object({ address: z.string() }).parse(JSON.parse(read('state/daemon.json')))
  return createDaemonClient({ base: address, fetch, token: read('token').trim() })
}

/** The files of the person by their content, and the databases by the rows of each table. */
const readStores = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(cli.home, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('demo') && statSync(join(cli.home, name)).isFile())
      .flatMap((name): Array<[string, string]> => {
        const path = join(cli.home, name)
        // Still being filled with the documents that ship with Steward.
        if (name.endsWith('search.sqlite')) return []
        if (name.endsWith('.sqlite')) return [[name, countRows(path)]]
        // Files of the running process, such as its lock.
        if (name.startsWith('state') || name.startsWith('.')) return []
        return [[name, createHash('sha256').update(readFileSync(path)).digest('hex')]]
      }),
  )

const countRows = (path: string): string => {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .all()
  const counts = tables.map(({ name }) => {
    const found = database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()
    return `${name} ${found?.n}`
  })
  database.close()
  return counts.join(', ')
}

/** What the person sees of their own. */
const readOwn = async () => {
  const client = clientOf(daemon)
  const [sessions, usage, runs, notes, waiting, failures, events] = await Promise.all([
    client.call('listSessions', { query: {} }),
    client.call('getUsage', { query: { by: 'assistant' } }),
    client.call('listRuns', { query: {} }),
    client.call('getKnowledge', { query: {} }),
    client.call('listWaiting'),
    client.call('listFailures', { query: {} }),
    client.call('listEvents', { query: {} }),
  ])
  return {
    sessions: sessions.sessions.map(({ id }) => id),
    cost: usage.total,
    runs: runs.runs.length,
    notes: JSON.stringify(notes).includes('Pickup messages'),
    waiting: waiting.waiting.length,
    failures: failures.failures.length,
    events: events.total,
  }
}

it('loads a demo day apart from the data of the person, keeps it over a restart, and removes it', async () => {
  await expect.poll(async () => (await readOwn()).sessions, { timeout: 30_000 }).toEqual(['mine'])
  // Written soon after the start of every daemon.
  const counts = join(cli.home, 'MEMORY/STATE/failure-patterns.json')
  await expect.poll(() => existsSync(counts), { timeout: 30_000 }).toBe(true)
  const [own, stores] = [await readOwn(), readStores()]
  expect(own).toMatchObject({ runs: 0, notes: false, waiting: 0, failures: 0, events: 1 })

  const { url } = await clientOf(daemon).call('openDemo', { body: {} })
  const signIn = await fetch(url, { redirect: 'manual' })
  expect(signIn.headers.get('set-cookie')).toContain('HttpOnly')
  expect(await clientOf(daemon).call('getDemo')).toEqual({ loaded: true, isDemo: false })
  expect(await demoClient().call('getDemo')).toEqual({ loaded: false, isDemo: true })

  const demo = await demoClient().call('listSessions', { query: {} })
  expect(new Set(demo.hosts)).toEqual(new Set(['claude', 'codex', 'gemini']))
  expect(demo.groups).toMatchObject({ needs: 1, running: 1 })
  const waiting = () => demoClient().call('listWaiting')
  const asked = { tool: 'Bash', answer: { where: 'here', decides: true } }
  await expect.poll(waiting, { timeout: 30_000 }).toMatchObject({ waiting: [asked] })
  await expect
    .poll(async () => (await demoClient().call('listFailures', { query: {} })).failures.length, {
      timeout: 30_000,
    })
    .toBe(1)
  const usage = await demoClient().call('getUsage', { query: { by: 'assistant' } })
  expect(usage.total.cost_usd).toBeGreaterThan(0)
  expect((await demoClient().call('listRuns', { query: {} })).runs.length).toBeGreaterThan(2)
  expect(await demoClient().call('listDeliveries', { query: {} })).toMatchObject({
    deliveries: [],
  })
  expect(await readOwn()).toEqual(own)

  await daemon.stop()
  daemon = await startDaemonProcess(cli, { args: ['--port', String(daemon.port)] })
  expect(await clientOf(daemon).call('getDemo')).toMatchObject({ loaded: true })
  await clientOf(daemon).call('openDemo', { body: {} })
  expect((await demoClient().call('listSessions', { query: {} })).total).toBe(demo.total)
  await expect.poll(waiting, { timeout: 30_000 }).toMatchObject({ waiting: [asked] })
  const [request] = (await waiting()).waiting
  const params = { id: request?.id ?? '' }
  await demoClient().call('answerWaiting', { params, body: { decision: 'allow' } })
  await expect.poll(waiting, { timeout: 30_000 }).toEqual({ waiting: [] })
  const session = async () => {
    const { events } = await demoClient().call('getSession', {
      params: { id: 'demo-claude-orders' },
      query: {},
    })
    return JSON.stringify(events)
  }
  await expect.poll(session, { timeout: 30_000 }).toContain('pickup-messages is pushed')

  expect(await clientOf(daemon).call('removeDemo', { body: {} })).toMatchObject({ loaded: false })
  expect(existsSync(join(cli.home, 'demo'))).toBe(false)
  expect(await readOwn()).toEqual(own)
  expect(readStores()).toEqual(stores)
}, 240_000)
