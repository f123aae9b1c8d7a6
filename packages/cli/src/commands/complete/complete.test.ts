import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-complete-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const env = { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH }
  const io = memoryIo({ args, env, homedir: root, cwd: root })
  await runCli(io)
  return io.out.text().split('\n').filter(Boolean)
}
const complete = (...words: string[]) => run('__complete', ...words)

test('names of your own flows and notes are completed', async () => {
  await run('new', 'flow', 'F_MINE_ALONE')
  const notes = join(root, 'home/MEMORY/KNOWLEDGE/Ideas')
  mkdirSync(notes, { recursive: true })
  writeFileSync(join(notes, 'compost-heap.md'), 'Leaves.\n')
  expect(await complete('trigger', 'F_MI')).toEqual(['F_MINE_ALONE'])
  expect(await complete('flows', 'items', 'F_MI')).toEqual(['F_MINE_ALONE'])
  expect(await complete('webhooks', 'test', 'F_MI')).toEqual(['F_MINE_ALONE'])
  expect(await complete('knowledge', 'show', 'Ideas/c')).toEqual(['Ideas/compost-heap'])
})

test('your named agents are completed by a name without spaces', async () => {
  await run('agents', 'new', 'Ada Byron', '--role', 'researcher', '--description', 'Finds things')
  expect(await complete('agents', 'show', 'a')).toEqual(['ada-byron'])
  expect((await run('agents', 'show', 'ada-byron')).join('\n')).toContain('Ada Byron')
})

test('commands that people do not type are not offered', async () => {
  expect(await complete('service', 's')).toEqual(['start', 'stop', 'status'])
})

test('subcommands of subcommands have their own options', async () => {
  expect(await complete('hosted', 'agents', 'create', '--fi')).toEqual(['--file'])
  expect(await complete('hosted', 'agents', 'cr')).toEqual(['create'])
})

test('an argument that is named like a subcommand does not change the command', async () => {
  expect(await complete('runs', 'show', 'list', '--j')).toEqual(['--json'])
})

test('values of an option are completed', async () => {
  expect(await complete('service', 'install', '--supervisor', 's')).toEqual(['systemd'])
  expect(await complete('runs', '--status', 'inter')).toEqual(['interrupted'])
})
