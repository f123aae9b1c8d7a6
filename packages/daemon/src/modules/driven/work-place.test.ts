import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { preparePlace, removePlace } from './work-place.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-place-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (...args: string[]): string =>
  execFileSync(
    'git',
    ['-C', join(root, 'project'), '-c', 'user.name=T', '-c', 'user.email=t@t', ...args],
    { encoding: 'utf8' },
  ).trim()

it('adds many worktrees of one repository at the same time, and removes them', async () => {
  const project = join(root, 'project')
  mkdirSync(join(project, 'below'), { recursive: true })
  writeFileSync(join(project, 'below/a.txt'), 'a')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  const ports = { home: { root: join(root, 'home') }, env: process.env }
  const task = { prompt: 'x', worktree: true, copy: false }
  const places = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      preparePlace(
        { ...task, project: index % 2 === 0 ? project : join(project, 'below') },
        { ...ports, id: `id${index}` },
      ),
    ),
  )
  expect(git('worktree', 'list').split('\n')).toHaveLength(25)
  expect(places[1]?.folder).toBe(join(root, 'home/worktrees/x-id1/below/'))
  await Promise.all(places.map((place) => removePlace(project, place, process.env)))
  expect(git('worktree', 'list').split('\n')).toHaveLength(1)
  expect(git('branch', '--list', 'steward/*')).toBe('')
})
