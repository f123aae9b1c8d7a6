import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-agents-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = async (args: readonly string[], env: Record<string, string> = {}) => {
  const io = memoryIo({
    args,
    env: { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH, ...env },
    homedir: root,
    cwd: root,
    now: () => Date.UTC(2026, 0, 31),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}
const runJson = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).out)

describe('steward route', () => {
  it('routes a request, with the person’s own names', async () => {
    expect(await runJson('route', 'Use custom agents')).toMatchObject({ system: 'custom' })
    await run(['agents', 'new', 'Ava', '--role', 'secondary researcher'])
    expect(await runJson('route', 'Ask Ava')).toMatchObject({
      system: 'named',
      type: 'VendorBResearcher',
    })
    writeFileSync(
      join(root, 'home/USER/AGENTS/routing.yaml'),
      'names: { researcher-b: OtherResearcher }',
    )
    expect(await runJson('route', 'Ask Ava')).toMatchObject({ type: 'OtherResearcher' })
    writeFileSync(join(root, 'home/USER/AGENTS/routing.yaml'), 'nmes: {}')
    const broken = await run(['route', 'Ask Ava'])
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('unknown key')])
  })

  it('refuses an unknown effort and an empty request', async () => {
    expect((await run(['route', 'x', '--effort', 'E9'])).code).toBe(2)
    expect((await run(['route', ' '])).code).toBe(2)
  })
})

describe('steward compose', () => {
  it('saves an agent and loads it again', async () => {
    const made = await runJson('compose', '--traits', 'data,bold', '--save', 'numbers')
    expect(await runJson('compose', '--load', 'numbers')).toEqual(made)
    const other = await run(['compose', '--traits', 'legal', '--save', 'Numbers'])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('other traits')])
    expect((await run(['compose', '--delete', 'numbers'])).code).toBe(0)
    expect((await run(['compose', '--load', 'numbers'])).code).toBe(3)
  })

  it('gives the same result in every format', async () => {
    const made = await runJson('compose', '--traits', 'security,adversarial')
    const print = async (format: string) =>
      (await run(['compose', '--traits', 'adversarial,security', '-o', format])).out
    expect(await print('prompt')).toBe(made.prompt)
    expect(await print('yaml')).toContain('voice_id: edgy')
    expect(await print('summary')).toContain('edgy')
    expect(await runJson('compose', '--task', 'the lease', '--count', '3')).toHaveLength(3)
    expect(await runJson('compose', '--list')).toHaveProperty('traits.approach.consultative')
  })
})

describe('steward agents', () => {
  it('makes, edits, exports and remembers', async () => {
    await run(['agents', 'new', 'Ava Lind', '--role', 'primary researcher', '--traits', 'research'])
    expect((await run(['agents', 'new', 'ava lind'])).code).toBe(2)
    const file = join(root, 'home/USER/AGENTS/ava-lind.md')
    await run(['agents', 'edit', 'ava lind'], { EDITOR: 'sed -i.bak s/primary/third/' })
    expect(readFileSync(file, 'utf8')).toContain('role: third researcher')
    const broken = await run(['agents', 'edit', 'ava lind'], { EDITOR: 'sed -i.bak s/name:/nme:/' })
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('nme: unknown key')])
    expect(readFileSync(file, 'utf8')).toContain('name: Ava Lind')

    await run(['agents', 'export', '--host', 'claude', '--project', root])
    expect(existsSync(join(root, '.claude/agents/ava-lind.md'))).toBe(true)
    expect((await runJson('agents', 'export', '--project', root)).written).toMatchObject([
      { changed: false },
    ])
    expect((await run(['agents', 'export', '--host', 'codex'])).code).toBe(1)

    await run(['agents', 'log', 'Ava Lind', 'found it', '--kind', 'praise'])
    expect((await runJson('agents', 'log', 'ava lind')).rows).toMatchObject([
      { agent: 'Ava Lind', kind: 'praise', text: 'found it' },
    ])
    expect((await run(['agents', 'show', 'Ava Lint'])).err).toContain('did you mean Ava Lind?')
  })

  it('leaves an agent file of another origin alone', async () => {
    await run(['agents', 'new', 'Ava'])
    await run(['agents', 'export', '--project', root])
    const path = join(root, '.claude/agents/ava.md')
    writeFileSync(path, 'mine')
    expect((await run(['agents', 'export', '--project', root])).code).toBe(2)
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })
})
