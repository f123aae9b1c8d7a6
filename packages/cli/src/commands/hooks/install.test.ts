import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
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
  expect(said.trim().split('\n')).toHaveLength(6)
  expect(said).toContain(`claude: ${file}\n  adds 17 hooks and keeps yours\n`)
  expect(said).toContain('11 report what the assistant does: SessionStart, UserPromptSubmit')
  expect(said).toContain(' 2 check prompts and tool calls against your rules')
  expect(said).toContain('--diff shows every line')
})

test('install --diff shows every line that --yes writes', async () => {
  const { said, file } = await run('--host', 'claude', '--diff', '--yes')
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    expect(said).toContain(`+ ${line}\n`)
  }
  expect(said).not.toContain('--diff shows')
})
