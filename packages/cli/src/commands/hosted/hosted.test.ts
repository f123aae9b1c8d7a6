import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostedSettings } from '@steward/contract'
import { type RunningHosted, startHosted } from '@steward/hosted'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
let server: RunningHosted
const failures: string[] = []
const env = () => ({ STEWARD_HOME: join(root, 'home'), LLM_PROVIDER: 'offline' })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-hosted-'))
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

const run = async (args: readonly string[], more: Record<string, string> = {}) => {
  const io = memoryIo({
    args: ['hosted', ...args],
    env: { ...env(), ...more },
    homedir: root,
    cwd: root,
    now: () => Date.UTC(2026, 10, 15),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}
const runJson = async (...args: string[]) => {
  const { code, out, err } = await run([...args, '--json'])
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

describe('agents and environments', () => {
  it('are made by flags or a file, changed with a version, found by name, archived', async () => {
    const made = await runJson('agents', 'create', '--name', 'a', '--model', 'claude-sonnet-5-5')
    expect(made).toMatchObject({ version: 1, tools: [{ type: 'agent_toolset_20260401' }] })
    const changed = await runJson('agents', 'update', 'a', '--system', 'Be brief.', '--ask')
    expect(changed).toMatchObject({ id: made.id, version: 2, system: 'Be brief.' })
    expect(changed.tools[0].default_config.permission_policy).toEqual({ type: 'always_ask' })
    expect(await runJson('agents', 'versions', 'a')).toHaveLength(2)
    const late = await run(['agents', 'update', 'a', '--system', 'x', '--version', '1'])
    expect(late).toMatchObject({ code: 4 })

    writeFileSync(join(root, 'b.yaml'), 'name: b\nmodel: claude-opus-5-5\nmetadata: {team: blue}\n')
    const fromFile = await runJson('agents', 'create', '--file', 'b.yaml', '--system', 'Hi')
    expect(fromFile).toMatchObject({ metadata: { team: 'blue' }, system: 'Hi', tools: [] })
    await run(['agents', 'archive', 'b'])
    const listed = await run(['agents'])
    expect(listed.out).toContain(' a\n')
    expect(listed.out).not.toContain(' b\n')
    expect((await run(['agents', 'show', 'b'])).code).toBe(3)
  })

  it('print a next command that works', async () => {
    const follow = async (args: readonly string[]) => {
      const { code, err } = await run(args)
      expect(code).toBe(0)
      const [, words = ''] = /^next: .*?hosted (.*)$/m.exec(err) ?? []
      return words.split(' ')
    }
    const create = ['agents', 'create', '--model', 'claude-sonnet-5-5']
    const first = await follow([...create, '--name', 'n1'])
    expect(first.slice(0, 2)).toEqual(['environments', 'create'])
    const made = await run([...first, '--json'])
    expect(made.code).toBe(0)
    const second = await follow([...create, '--name', 'n2'])
    expect(second.slice(0, 2)).toEqual(['sessions', 'create'])
    expect((await run(second)).out).toContain('is ready')
  })

  it('report errors with their subject', async () => {
    expect(await run(['agents', 'create', '--name', 'x'])).toMatchObject({ code: 2 })
    writeFileSync(join(root, 'wrong.json'), '{"name": "x", "model": "m", "colour": "red"}')
    const unknown = await run(['agents', 'create', '--file', 'wrong.json'])
    expect(unknown.code).toBe(2)
    expect(unknown.err).toContain('colour')
    writeFileSync(join(root, 'list.yaml'), '- a\n- b\n')
    const list = await run(['environments', 'create', '--file', 'list.yaml'])
    expect(list.err).toContain('list.yaml: it must contain one object')
  })

  it('restrict the network', async () => {
    const made = await run(['environments', 'create', '--name', 'docs', '--allow-host', 'a.dev'])
    expect(made.out).toContain('only a.dev')
    expect(await run(['environments', 'create', '--name', 'docs'])).toMatchObject({ code: 4 })
    expect((await run(['environments', 'delete', 'docs'])).out).toContain('is deleted')
  })
})

describe('sessions', () => {
  it('answer, report their cost, and warn that nothing isolates them', async () => {
    const { session, offline } = await runJson('init')
    expect(offline).toBe(true)
    expect((await runJson('init')).session).toBe(session)
    const sent = await run(['send', session, 'The lock is old. It opens well.'])
    expect(sent.code).toBe(0)
    expect(sent.out).toContain('The lock is old.')
    expect(sent.out).toContain('-- idle: its turn is done')
    expect(sent.err).toContain('NO ISOLATION')
    const idle = await run(['send', session, '--interrupt'])
    expect(idle).toMatchObject({ code: 0, err: expect.stringContaining('it is idle') })
    const both = await run(['send', session, 'It is green.', '--interrupt'])
    expect(both.out).toMatch(/interrupted\n.*you: It is green\.\n.*-- idle: its turn is done\n$/s)
    const shown = await run(['sessions', 'show', session])
    expect(shown.out).toMatch(/^time +(under )?\$0\.\d+ /m)
    expect(shown.err).toContain('NO ISOLATION')
    expect((await run(['status'])).out).toContain('NO ISOLATION')
    const woken = await run(['wake', session])
    expect(woken.out).toContain(`${session} is idle\nit waits for a message`)
    await run(['sessions', 'archive', session])
    expect(await run(['send', session, 'more'])).toMatchObject({ code: 4 })
    expect(await run(['sessions', 'show', 'sesn_none'])).toMatchObject({ code: 3 })
  })

  it('have budgets that can only be raised or taken away', async () => {
    const agent = await runJson(
      'agents',
      'create',
      '--name',
      'priced',
      '--model',
      'claude-opus-5-5',
    )
    const { id: environment } = await runJson('environments', 'create', '--name', 'budget')
    const made = ['--agent', agent.id, '--environment', environment]
    const { id } = await runJson('sessions', 'create', ...made, '--budget', '2.50', '--title', 't')
    expect((await run(['sessions', 'show', id])).out).toMatch(/^budget +\$2\.50/m)
    const raised = await runJson('sessions', 'update', id, '--budget', '$3')
    expect(raised.budget.max_list_cost.amount).toBe('300')
    expect((await runJson('sessions', 'update', id, '--budget', 'none')).budget).toBeNull()
    expect(await run(['sessions', 'update', id, '--budget', 'lots'])).toMatchObject({ code: 2 })
  })
})

describe('keys', () => {
  it('are shown once, respect their scope, and stop working when revoked', async () => {
    const made = await runJson('keys', 'create', '--name', 'reader', '--scope', 'read')
    const url = ['--url', server.address ?? '']
    const key = { STEWARD_HOSTED_KEY: made.key }
    expect(await run(['sessions', ...url], key)).toMatchObject({ code: 0 })
    const denied = await run(['agents', 'create', '--name', 'n', '--model', 'm', ...url], key)
    expect(denied.code).toBe(5)
    expect(denied.err).toContain('keys create --scope')
    const listed = await run(['keys'])
    expect(listed.out).toContain('reader')
    expect(listed.out).not.toContain(made.key)
    expect((await run(['keys', 'revoke', made.id])).out).toContain('is revoked')
    expect((await run(['keys', 'create', '--scope', 'environment'])).code).toBe(2)
    expect((await run(['keys', 'revoke', 'key_none'])).code).toBe(3)
  })
})

describe('servers that are not there', () => {
  it('are reported, with a remedy', async () => {
    const absent = await run(['sessions', '--home', join(root, 'other')])
    expect(absent.code).toBe(5)
    expect(absent.err).toContain('steward hosted serve')
    const vendor = await run(['sessions', '--vendor'])
    expect(vendor.code).toBe(5)
    expect(vendor.err).toContain('ANTHROPIC_API_KEY')
    expect((await run(['sessions', '--url', 'here'], { STEWARD_HOSTED_KEY: 'k' })).code).toBe(2)
    const vendorWake = await run(['wake', 'sesn_1', '--vendor', '--url', 'http://x'])
    expect(vendorWake.code).toBe(2)
  })

  it('may be the vendor’s: the same commands speak to it', async () => {
    const { key } = await runJson('keys', 'create', '--name', 'as if')
    const as = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.address ?? '' }
    const shown = await run(['sessions', '--vendor'], as)
    expect(shown).toMatchObject({ code: 0, err: '' })
  })
})
