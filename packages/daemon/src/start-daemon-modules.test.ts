import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, health, type Route } from '@steward/contract'
import { findFreePorts } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ModuleEntry } from './module.ts'
import { MODULE_NAMES } from './module-table.ts'
import { startDaemon } from './start-daemon.ts'
import { composeModules } from './start-daemon-modules.ts'

let root = ''
const stops: (() => Promise<void>)[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'daemon-modules-'))
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  rmSync(root, { recursive: true, force: true })
})

const start = async (port: number, change: (entries: ModuleEntry[]) => ModuleEntry[]) => {
  const daemon = await startDaemon({
    env: { PATH: process.env.PATH, LLM_PROVIDER: 'offline' },
    homedir: root,
    home: root,
    port,
    library: join(root, 'library'),
    dashboard: join(root, 'no-dashboard'),
    write: () => undefined,
    writeOut: () => undefined,
    modules: (parts) => change(composeModules(parts)),
  })
  if (daemon === undefined) throw new Error('it is switched off')
  stops.push(daemon.stop)
  return daemon
}

/** Sends a request as soon as the port is open. */
const askFirst = (port: number, { method, path }: Route): Promise<number> =>
  new Promise((resolve) => {
    const headers = method === 'GET' ? {} : { 'content-type': 'application/json' }
    const attempt = () => {
      request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
        response.destroy()
        resolve(response.statusCode ?? 0)
      })
        .once('error', () => setImmediate(attempt))
        .end(method === 'GET' ? undefined : '{}')
    }
    attempt()
  })

// Runs first, because loading all code for the first time takes longer than a daemon waits for it.
test('every module serves the routes that are known of it before it is loaded', async () => {
  let entries: ModuleEntry[] = []
  await start(0, (composed) => {
    entries = composed
    return []
  })
  expect(entries.map(({ name }) => name)).toEqual([...MODULE_NAMES])
  const keysOf = (routes: readonly Route[]) =>
    routes.map(({ method, path }) => `${method} ${path}`).sort()
  for (const { name, routes, load } of entries) {
    const module = await load()
    const served = module.handlers.map(({ route }) => route)
    expect([module.name, keysOf(served)]).toEqual([name, keysOf(routes)])
  }
}, 120_000)

test('a request sent at the very moment of the start gets its answer, from each module', async () => {
  const port = await findFreePorts(1)
  const routes: Route[] = [
    API.listRecentEvents,
    API.streamChanges,
    API.getVoice,
    API.listDeliveries,
    API.guardSkill,
    API.getSecurityHooks,
    API.getNovelty,
    API.getKnowledge,
    API.getWiki,
    API.listObservers,
    API.listAgents,
    API.listRuns,
    API.getAssistantHealth,
    API.getHosted,
    API.getHealth,
  ]
  const asked = routes.map(async (route) => [route.path, await askFirst(port, route)])
  await start(port, (entries) => entries)
  expect(await Promise.all(asked)).toEqual(routes.map(({ path }) => [path, 200]))
})

test('a module that cannot be loaded fails its own routes only', async () => {
  const { address } = await start(0, (entries) =>
    entries.map((entry) =>
      entry.name === 'wiki'
        ? { ...entry, load: () => Promise.reject(new Error('the disk is full')) }
        : entry,
    ),
  )
  const wiki = await fetch(`${address}${API.getWiki.path}`)
  expect([wiki.status, await wiki.json()]).toMatchObject([
    503,
    { code: 'module_failed', error: expect.stringContaining('the disk is full') },
  ])
  expect((await fetch(`${address}${API.getKnowledge.path}`)).status).toBe(200)
  const said = health.parse(await (await fetch(`${address}/health`)).json())
  const failed = Object.entries(said.subsystems).filter(([, { status }]) => status === 'failed')
  expect(failed).toMatchObject([['wiki', { reasons: ['the disk is full'] }]])
})
