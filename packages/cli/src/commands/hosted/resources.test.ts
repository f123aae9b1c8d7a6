import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostedSettings } from '@steward/contract'
import { type RunningHosted, startHosted } from '@steward/hosted'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo, stdinOf } from '../../testing/memory-io.ts'

let root: string
let server: RunningHosted
const failures: string[] = []
const env = () => ({ STEWARD_HOME: join(root, 'home'), LLM_PROVIDER: 'offline' })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-hosted-more-'))
  server = await startHosted({
    home: join(root, 'home'),
    env: env(),
    settings: hostedSettings.parse({ port: 0, isolation: 'none' }),
    report: ({ message }) => failures.push(message),
  })
})
afterAll(async () => {
  expect(failures).toEqual([])
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

const run = async (args: readonly string[], stdin?: string) => {
  const io = memoryIo({
    args: ['hosted', ...args],
    env: env(),
    homedir: root,
    cwd: root,
    now: () => Date.now(),
    ...(stdin === undefined ? {} : { stdin: stdinOf(stdin), stdinKind: () => 'pipe' as const }),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}
const runJson = async (...args: string[]) => {
  const { code, out, err } = await run([...args, '--json'])
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

it('deploys an agent, runs it, pauses it, and gives it a webhook', async () => {
  await runJson('agents', 'create', '--name', 'clerk', '--model', 'claude-sonnet-5-5')
  await runJson('environments', 'create', '--name', 'office')
  const given = ['--name', 'mail', '--agent', 'clerk', '--environment', 'office']
  expect((await run(['deployments', 'create', ...given])).err).toContain('--message')
  writeFileSync(join(root, 'task.md'), 'Sort the mail.')
  const cron = ['--cron', '0 3 * * 1-5', '--timezone', 'Europe/Berlin']
  const made = await run(['deployments', 'create', ...given, '--message', '@task.md', ...cron])
  expect(made.out).toMatch(/schedule +0 3 \* \* 1-5 Europe\/Berlin/)
  expect((await run(['deployments'])).out).toMatch(/^depl_\w+ +next .* +mail$/m)
  const ran = await runJson('deployments', 'run', 'mail')
  expect(ran).toMatchObject({ error: null, session_id: expect.stringMatching(/^sesn_/) })
  expect(await runJson('deployments', 'runs', 'mail')).toHaveLength(1)
  expect((await run(['deployments', 'pause', 'mail'])).out).toMatch(/state +paused/)
  expect((await run(['deployments', 'unpause', 'mail'])).out).toMatch(/state +next/)
  const webhook = await run(['deployments', 'webhook', 'mail', '--scheme', 'github'])
  expect(webhook.out).toMatch(/^POST \/webhooks\/deployments\/depl_\w+ \(github\)\nwhsec_/)
  expect((await run(['deployments', 'webhook', 'mail', '--off'])).code).toBe(0)
  expect((await run(['deployments', 'archive', 'mail'])).out).toMatch(/state +archived/)
  expect((await run(['deployments', 'show', 'mail'])).code).toBe(3)
})

it('uploads a folder as a skill, and a new version of it', async () => {
  const folder = join(root, 'invoices')
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  const text = '---\nname: invoices\ndescription: Writes invoices.\n---\nDo.\n'
  writeFileSync(join(folder, 'SKILL.md'), text)
  writeFileSync(join(folder, 'scripts', 'sum.sh'), '#!/bin/sh\n')
  const { id } = await runJson('skills', 'upload', 'invoices')
  await runJson('skills', 'upload', 'invoices', '--to', id)
  expect(await runJson('skills', 'versions', id)).toHaveLength(2)
  expect((await run(['skills'])).out).toContain(id)
  expect((await run(['skills', 'upload', 'nowhere'])).code).toBe(2)
})

it('writes memories with versions', async () => {
  await runJson('memory', 'create', '--name', 'likes')
  await runJson('memory', 'put', 'likes', '/tea.md', 'Black.')
  await runJson('memory', 'put', 'likes', '/tea.md', 'Green.')
  expect((await run(['memory', 'get', 'likes', '/tea.md'])).out).toBe('Green.\n')
  expect((await run(['memory', 'list', 'likes'])).out).toMatch(/^\/tea\.md +6 bytes/)
  await run(['memory', 'delete', 'likes', '/tea.md'])
  const history = await runJson('memory', 'history', 'likes')
  expect(history.map(({ operation }: { operation: string }) => operation)).toEqual([
    'deleted',
    'modified',
    'created',
  ])
  expect((await run(['memory', 'get', 'likes', '/tea.md'])).code).toBe(3)
})

it('takes secrets from standard input and never shows them', async () => {
  await runJson('vaults', 'create', '--name', 'work')
  const key = ['vaults', 'add', 'work', '--variable', 'API_KEY', '--host', 'api.example.com']
  expect(await run(key, 'sk-secret\n')).toMatchObject({ code: 0 })
  const token = ['vaults', 'add', 'work', '--server', 'https://mcp.example.com/mcp']
  expect(await run(token, 'sk-other\n')).toMatchObject({ code: 0 })
  const shown = await run(['vaults', 'show', 'work'])
  expect(shown.out).toContain('API_KEY')
  expect(shown.out).toContain('https://mcp.example.com/mcp')
  expect(JSON.stringify(await runJson('vaults', 'show', 'work'))).not.toMatch(/sk-(secret|other)/)
  expect((await run(['vaults', 'add', 'work'], 'x')).code).toBe(2)
  expect((await run(['vaults', 'delete', 'work'])).out).toContain('is deleted')
})

it('uploads a file and gives it to a session', async () => {
  const { session } = await runJson('init')
  writeFileSync(join(root, 'report.txt'), 'A report.')
  const { id } = await runJson('files', 'upload', 'report.txt')
  await runJson('resources', 'add', session, id, '--path', '/workspace/report.txt')
  const [resource] = await runJson('resources', 'list', session)
  expect(resource).toMatchObject({ file_id: id, mount_path: '/workspace/report.txt' })
  expect((await run(['resources', 'delete', session, resource.id])).code).toBe(0)
  expect((await run(['resources', 'list', session])).out).toBe('none\n')
})

it('registers an address for messages, with a secret that is printed once', async () => {
  const address = ['--address', 'https://example.com/hook', '--name', 'ci']
  expect((await run(['webhooks', 'create', ...address])).code).toBe(2)
  expect((await run(['webhooks', 'create', ...address, '--event', 'x.y'])).code).toBe(2)
  const events = ['--event', 'agent.created', '--event', 'session.status_idled']
  const made = await run(['webhooks', 'create', ...address, ...events])
  const [id = '', secret = ''] = made.out.split('\n')
  expect(secret).toMatch(/^whsec_/)
  const listed = await run(['webhooks'])
  expect(listed.out).toMatch(/^whep_\w+ +enabled +https.*agent.created, session.status_idled +ci$/m)
  expect(listed.out).not.toContain(secret)
  expect((await run(['webhooks', 'disable', 'ci'])).out).toBe(`${id} is disabled\n`)
  expect((await run(['webhooks', 'enable', id])).out).toBe(`${id} is enabled\n`)
  await runJson('agents', 'create', '--name', 'told', '--model', 'claude-sonnet-5-5')
  const sent = await run(['webhooks', 'deliveries', 'ci'])
  expect(sent.out).toMatch(/^wdel_\w+ .* agent\.created +(pending|failed|delivered) +\d+x/m)
  expect((await run(['webhooks', 'secret', 'ci'])).out).toMatch(/^whsec_/)
  expect((await run(['webhooks', 'secret', 'ci'])).out).not.toContain(secret)
  expect((await run(['webhooks', 'delete', 'ci'])).out).toBe(`${id} is deleted\n`)
  expect((await run(['webhooks', 'delete', 'ci'])).code).toBe(3)
})
