import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { PAGES } from './lifeos/shapes.ts'

const recorded = z.object({
  client: z.string(),
  method: z.string(),
  path: z.string(),
  body: z.unknown().optional(),
  status: z.int(),
})

/** Requests of its hooks and tools, recorded and rewritten. */
const readRequests = (version: string) =>
  readFileSync(join(import.meta.dirname, 'lifeos', `${version}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => recorded.parse(JSON.parse(line)))

let cli: Cli
let daemon: DaemonProcess
beforeAll(async () => {
  cli = createCli()
  cli.write('settings.json', JSON.stringify({ voice: { provider: 'none' } }))
  daemon = await startDaemonProcess(cli)
})
afterAll(async () => {
  await daemon.kill()
  cli.remove()
})

const send = (path: string, method = 'GET', body?: unknown) =>
  daemon.fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const read = async (path: string): Promise<unknown> => (await send(path)).json()

describe.each(['v5', 'v7'])('hooks of LifeOS %s', (version) => {
  it.each(readRequests(version))('$client', async ({ method, path, body, status }) => {
    const answer = await send(path, method, body)
    const text = await answer.text()
    expect([answer.status, answer.status === status ? '' : text]).toEqual([status, ''])
    expect(JSON.parse(text)).toBeTypeOf('object')
  })
})

it('takes all of what they pushed', async () => {
  const { events } = z
    .object({ events: z.array(z.looseObject({ session_id: z.string(), type: z.string() })) })
    .parse(await read('/api/events/recent'))
  const pushed = events.filter(({ session_id }) => /^v[57]-a$/.test(session_id))
  expect(pushed.map(({ type, tool_name }) => tool_name ?? type).toSorted()).toEqual(
    expect.arrayContaining(['Grep', 'Read', 'subagent_start']),
  )
  expect(await read('/api/observability/state')).toMatchObject({
    source: 'push',
    sessions: { '20260301-100000_login': { phase: 'build' } },
  })
})

it('refuses what they refuse', async () => {
  const blocked = readRequests('v5').find(({ client }) => client === 'SkillGuard hook')
  const answer = await send(blocked?.path ?? '', 'POST', blocked?.body)
  expect(await answer.json()).toMatchObject({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
  })
})

describe('pages of LifeOS', () => {
  it.each(PAGES)('%s has what they read', async (path, shape) => {
    // Documents are indexed after the start.
    await expect.poll(async () => shape.safeParse(await read(path)).error?.issues).toBeUndefined()
  })

  it('find the detail of every hook by its command', async () => {
    const { hooks } = z
      .object({ hooks: z.array(z.object({ command: z.string() })) })
      .parse(await read('/api/security'))
    const details = z
      .record(z.string(), z.unknown())
      .parse(await read('/api/security/hooks-detail'))
    expect(hooks.filter(({ command }) => !(command in details))).toEqual([])
  })
})
