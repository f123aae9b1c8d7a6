import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { commandLineOf } from '@steward/platform'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { findInstallation } from '../../setup/installation.ts'
import { memoryIo } from '../../testing/memory-io.ts'

const run = async (...flags: string[]) => {
  const homedir = mkdtempSync(join(tmpdir(), 'hooks-install-'))
  onTestFinished(() => rmSync(homedir, { recursive: true, force: true }))
  mkdirSync(join(homedir, '.claude'))
  const env = { STEWARD_HOME: join(homedir, 'data'), PATH: homedir }
  const io = memoryIo({ args: ['hooks', 'install', ...flags], env, homedir })
  const code = await runCli(io)
  return { code, said: io.out.text(), file: join(homedir, '.claude', 'settings.json') }
}

test('install summarises what it registers, and writes nothing without consent', async () => {
  const { code, said, file } = await run('--host', 'claude')
  expect(code).toBe(2)
  expect(existsSync(file)).toBe(false)
  expect(said.trim().split('\n')).toHaveLength(8)
  expect(said).toContain(`claude: ${file}\n  adds 16 hooks and keeps yours\n`)
  expect(said).toContain('10 report what the assistant does: SessionStart, UserPromptSubmit')
  expect(said).toContain(' 2 show you its requests and pass on your answers: PermissionRequest')
  expect(said).toContain(' 2 check prompts and tool calls against your rules')
  expect(said).toMatch(/ 2 rules let it write \S+SPEC\.md and run `.+ announce` without asking you/)
  expect(said).toContain('--diff shows every line')
})

test('install --diff shows every line that --yes writes', async () => {
  const { said, file } = await run('--host', 'claude', '--diff', '--yes')
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    expect(said).toContain(`+ ${line}\n`)
  }
  expect(said).not.toContain('--diff shows')
})

const startHosts = (files: Record<string, string>) => {
  const homedir = mkdtempSync(join(tmpdir(), 'hooks-install-'))
  onTestFinished(() => rmSync(homedir, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(homedir, name)), { recursive: true })
    writeFileSync(join(homedir, name), text)
  }
  const call = async (...args: string[]) => {
    const env = { STEWARD_HOME: join(homedir, 'data'), PATH: homedir }
    const io = memoryIo({ args: ['hooks', ...args], env, homedir })
    return { code: await runCli(io), err: io.err.text() }
  }
  return {
    call,
    homedir,
    read: (name: string) => readFileSync(join(homedir, name), 'utf8'),
    has: (name: string) => existsSync(join(homedir, name)),
  }
}
const CLAUDE = '.claude/settings.json'
const GEMINI = '.gemini/settings.json'
const COMMENTED = '{\n  // for the night\n  "theme": "dark" /* or light */\n}\n'

test('comments that Gemini accepts stay, in an install and in an uninstall', async () => {
  const { call, read } = startHosts({ [CLAUDE]: '{}', [GEMINI]: COMMENTED })
  expect(await call('install', '--yes')).toMatchObject({ code: 0 })
  expect(read(GEMINI)).toContain('// for the night\n  "theme": "dark"')
  expect(read(GEMINI)).toContain('/* or light */')
  expect(read(GEMINI)).toContain('steward-hook.mjs')
  const installed = read(GEMINI)
  expect(await call('install', '--yes')).toMatchObject({ code: 0 })
  expect(read(GEMINI)).toBe(installed)
  expect(await call('uninstall', '--yes')).toMatchObject({ code: 0 })
  expect(read(GEMINI)).toBe(COMMENTED)
  expect(read(CLAUDE)).toBe('{}')
})

test('an uninstall leaves no folder that the install created', async () => {
  const { call, has } = startHosts({ '.config/opencode/opencode.json': '{}' })
  expect((await call('install', '--yes', '--host', 'opencode')).code).toBe(0)
  expect(has('.config/opencode/plugins/steward.js')).toBe(true)
  expect((await call('install', '--yes', '--host', 'opencode')).code).toBe(0)
  expect((await call('uninstall', '--yes', '--host', 'opencode')).code).toBe(0)
  expect(has('.config/opencode/plugins')).toBe(false)
  expect(has('.config/opencode/opencode.json')).toBe(true)
})

test('Claude Code may write specifications and announce without asking, while instructions are on', async () => {
  const theirs = '{"permissions":{"allow":["Bash(ls)"],"deny":["Read(.env)"]}}'
  const { call, read, homedir } = startHosts({ [CLAUDE]: theirs })
  const allowed = (): unknown => JSON.parse(read(CLAUDE)).permissions.allow
  const install = async () => expect((await call('install', '--yes')).code).toBe(0)
  await install()
  const command = commandLineOf(findInstallation().root, true)
  const rules = [
    `Edit(/${join(homedir, 'data')}/MEMORY/WORK/*/SPEC.md)`,
    `Bash(${command} announce:*)`,
  ]
  expect(allowed()).toEqual(['Bash(ls)', ...rules])
  await install()
  expect(allowed()).toEqual(['Bash(ls)', ...rules])
  writeFileSync(join(homedir, 'data/settings.json'), '{"algorithm":{"enabled":false}}')
  await install()
  expect(allowed()).toEqual(['Bash(ls)'])
  writeFileSync(join(homedir, 'data/settings.json'), '{}')
  await install()
  // Changed meanwhile: ours is removed, theirs stays.
  writeFileSync(join(homedir, CLAUDE), read(CLAUDE).replace('Bash(ls)', 'Bash(make)'))
  expect((await call('uninstall', '--yes')).code).toBe(0)
  expect(JSON.parse(read(CLAUDE))).toEqual({
    permissions: { allow: ['Bash(make)'], deny: ['Read(.env)'] },
  })
})

test('a file that cannot be read holds up no other assistant', async () => {
  const { call, read } = startHosts({ [CLAUDE]: '{}', [GEMINI]: '{ broken' })
  const installed = await call('install', '--yes')
  expect(installed.code).toBe(1)
  expect(installed.err).toContain('gemini: skipped. ')
  expect(read(CLAUDE)).toContain('steward-hook.mjs')
  expect(read(GEMINI)).toBe('{ broken')
  expect((await call('uninstall', '--yes')).code).toBe(1)
  expect(read(CLAUDE)).toBe('{}')
  expect((await call('install', '--yes', '--host', 'gemini')).code).toBe(2)
})
