import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flowDestination } from '@steward/contract'
import type { Delivery } from '@steward/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createGitDelivery } from './git.ts'

let output = ''
let repository = ''

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim()

beforeEach(() => {
  output = realpathSync(mkdtempSync(join(tmpdir(), 'steward-git-')))
  repository = join(output, 'notes')
  mkdirSync(repository)
  git('init', '--quiet')
})
afterEach(() => rmSync(output, { recursive: true }))

const deliver = (id: string, given: object = {}) => {
  const destination = flowDestination.parse({ type: 'git', repository: 'notes', ...given })
  if (destination.type !== 'git') throw new Error('not git')
  const delivery: Delivery = {
    flow: { id: 'flow', name: 'F_TEST_FLOW' },
    item: { id, title: `Über ${id}!` },
    output: { summary: `about ${id}` },
    again: false,
    now: new Date('2026-05-01T00:00:00Z'),
  }
  return createGitDelivery({ roots: [output] }, join(output, 'locks'))(destination, delivery)
}

it('commits one file per item, alone and once, whatever is staged', async () => {
  const first = await deliver('one', { folder: 'log/2026', message: 'Note {title}\nsecond' })
  const file = String(first.file)
  expect(file).toMatch(/^log\/2026\/u-ber-one-[0-9a-f]{8}\.md$/)
  expect(readFileSync(join(repository, file), 'utf8')).toBe('## Über one!\n\nabout one\n')
  expect(git('log', '-1', '--format=%s')).toBe('Note Über one! second')

  writeFileSync(join(repository, 'mine.txt'), 'not finished')
  git('add', 'mine.txt')
  await deliver('two')
  expect(git('show', '--name-only', '--format=').split('\n')).toEqual([
    expect.stringMatching(/^u-ber-two-/),
  ])
  expect(git('diff', '--cached', '--name-only')).toBe('mine.txt')

  // A run that died after the commit delivers again, also after a person removed the file.
  git('rm', '-q', '--', file)
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'Tidy up', '--', file)
  expect(await deliver('one', { folder: 'log/2026' })).toMatchObject({
    repeated: true,
    commit: first.commit,
  })
  expect(git('rev-list', '--count', 'HEAD')).toBe('3')
})

it('continues after a crash between writing and committing', async () => {
  const { file } = await deliver('one')
  git('update-ref', '-d', 'HEAD')
  git('rm', '-q', '--cached', '--', String(file))
  expect(await deliver('one')).not.toHaveProperty('repeated')
  expect(git('rev-list', '--count', 'HEAD')).toBe('1')
})

it('runs no hook, and stays in the repository', async () => {
  const hook = join(repository, '.git/hooks/pre-commit')
  mkdirSync(join(repository, '.git/hooks'), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\ntouch ${output}/hooked\nexit 1\n`, { mode: 0o755 })
  await deliver('one')
  symlinkSync(output, join(repository, 'out'))
  const refused = { code: 'path_refused' }
  await expect(deliver('two', { folder: '..' })).rejects.toMatchObject(refused)
  await expect(deliver('two', { folder: 'out' })).rejects.toMatchObject(refused)
  await expect(deliver('two', { folder: '.git/hooks' })).rejects.toMatchObject(refused)
  await expect(deliver('two', { repository: tmpdir() })).rejects.toMatchObject(refused)
  mkdirSync(join(output, 'plain'))
  await expect(deliver('two', { repository: 'plain' })).rejects.toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining('git init'),
  })
  expect(() => readFileSync(join(output, 'hooked'))).toThrow('ENOENT')
})
