import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EVENT_SOURCES } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyBuiltWorkers } from './built-workers.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { type EdgeProcess, findEdgePort, startEdge, TOKEN } from './edge-up-process.ts'

let cli: Cli
let edge: EdgeProcess | undefined
let daemon: DaemonProcess | undefined

const settings = (more: object) =>
  cli.write(
    'settings.json',
    JSON.stringify({ edge: { resources: { kv: { DASHBOARD: 'local' } } }, ...more }),
  )

beforeAll(() => {
  cli = createCli()
})
afterAll(async () => {
  await daemon?.kill()
  await edge?.kill()
  cli.remove()
})

test('a daemon pushes to a dashboard worker on the local edge, which serves it', async () => {
  settings({})
  await copyBuiltWorkers(cli)
  edge = await startEdge(cli, { args: ['--port', String(await findEdgePort())] })
  const url = edge.urls.DASHBOARD
  expect(url).toBeDefined()
  const targets = [
    { name: 'remote', type: 'http', url, headers: { authorization: 'Bearer ${AUTH_TOKEN}' } },
  ]
  settings({ observability: { targets } })
  daemon = await startDaemonProcess(cli, { env: { AUTH_TOKEN: TOKEN } })
  const log = join(cli.home, EVENT_SOURCES['tool-activity'].file)
  mkdirSync(dirname(log), { recursive: true })
  const row = { timestamp: '2026-02-03T04:05:06+01:00', session_id: 's', tool_name: 'Bash' }
  appendFileSync(log, `${JSON.stringify(row)}\n`)
  mkdirSync(join(cli.home, 'MEMORY/STATE'), { recursive: true })
  appendFileSync(
    join(cli.home, 'MEMORY/STATE/work.json'),
    JSON.stringify({ sessions: { one: { task: 'try it', phase: 'build' } } }),
  )
  const ask = (path: string) => edge?.call('DASHBOARD', path)
  await expect
    .poll(async () => (await ask('/api/events/recent'))?.body, { timeout: 60_000 })
    .toEqual({ events: [{ ...row, source: 'tool-activity', type: 'tool_use' }] })
  await expect
    .poll(async () => (await ask('/api/observability/state'))?.body, { timeout: 60_000 })
    .toMatchObject({ sessions: { one: { task: 'try it', phase: 'build' } }, source: 'push' })
  const closed = await fetch(`${url}/api/events/recent`)
  expect(closed.status).toBe(401)
})
