import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import type { Home } from '@steward/platform'
import { isWritable } from './permission-rules.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a session works. */
export interface WorkPlace {
  folder: string
  branch: string | null
  base: string | null
}

const GIT_MS = 60_000
const MOST_OUTPUT = 4 * 1024 * 1024
/** Hooks, signing and external programs of the repository do not run for Steward's own commands. */
const PLAIN = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'commit.gpgsign=false',
  '-c',
  'core.pager=cat',
]

const git = (
  folder: string,
  args: readonly string[],
  env: Environment,
  output: 'trimmed' | 'as it is' = 'trimmed',
): Promise<string> =>
  new Promise((done, reject) => {
    execFile(
      'git',
      ['-C', folder, ...PLAIN, ...args],
      { env: { ...env, GIT_TERMINAL_PROMPT: '0' }, timeout: GIT_MS, maxBuffer: MOST_OUTPUT },
      (error, stdout, stderr) =>
        error === null
          ? done(output === 'trimmed' ? stdout.trim() : stdout)
          : reject(new Error(stderr.trim() || error.message)),
    )
  })

/** The commit that a folder has checked out; null outside a repository or before its first commit. */
const headOf = (folder: string, env: Environment): Promise<string | null> =>
  git(folder, ['rev-parse', '--verify', 'HEAD'], env).catch(() => null)

/** `update the docs!` and an id become `update-the-docs-1a2b3c`. */
const slugOf = (prompt: string, id: string): string => {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return [...words.slice(0, 5), id].join('-').slice(-60).replace(/^-/, '')
}

/** Prepares the place of a new session: the project itself, or a worktree on a branch of its own. */
export const preparePlace = async (
  { project, prompt, worktree }: { project: string; prompt: string; worktree: boolean },
  { home, id, env }: { home: Pick<Home, 'root'>; id: string; env: Environment },
): Promise<WorkPlace> => {
  const base = await headOf(project, env)
  if (!worktree) return { folder: project, branch: null, base }
  if (base === null) {
    const reason = `${project} is not a git repository with a commit`
    throw new StewardError('invalid_input', { subject: 'a worktree', reason })
  }
  const slug = slugOf(prompt, id)
  const branch = `steward/${slug}`
  const parent = join(home.root, 'worktrees')
  const folder = join(parent, slug)
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  try {
    await git(project, ['worktree', 'add', '--quiet', '-b', branch, folder, base], env)
  } catch (thrown) {
    const reason = `git cannot create it: ${thrown instanceof Error ? thrown.message : thrown}`
    throw new StewardError('invalid_input', { subject: 'the worktree', reason }, thrown)
  }
  // The project may be a folder below the top of its repository.
  const prefix = await git(project, ['rev-parse', '--show-prefix'], env)
  return { folder: join(folder, prefix), branch, base }
}

/** Removes the worktree of a session that never started. */
export const removePlace = async (
  project: string,
  { branch, folder }: WorkPlace,
  env: Environment,
): Promise<void> => {
  if (branch === null) return
  const top = await git(folder, ['rev-parse', '--show-toplevel'], env)
  await git(project, ['worktree', 'remove', '--force', top], env)
  await git(project, ['branch', '--quiet', '-D', branch], env)
}

/** What changed since the start. In a worktree everything is committed to its branch first. */
export const collectChanges = async (
  { folder, branch, base }: WorkPlace,
  { subject, writable }: { subject: string; writable: readonly string[] },
  env: Environment,
): Promise<{ diffStat: string | null; commit: string | null; outside: string[] }> => {
  if (base === null) return { diffStat: null, commit: null, outside: [] }
  const outside = await findOutside(folder, writable, env)
  if (branch !== null) {
    await git(folder, ['add', '--all', ':/'], env)
    if (outside.length > 0) await git(folder, ['reset', '--quiet', '--', ...outside], env)
    const staged = await git(folder, ['diff', '--cached', '--name-only', '--no-ext-diff'], env)
    if (staged !== '') {
      const author = await authorOf(folder, env)
      await git(folder, [...author, 'commit', '--quiet', '--no-verify', '-m', subject], env)
    }
  }
  const diff = await git(
    folder,
    [
      'diff',
      '--stat',
      '--no-ext-diff',
      '--no-textconv',
      base,
      ...(branch === null ? [] : ['HEAD']),
    ],
    env,
  )
  const added =
    branch === null ? await git(folder, ['ls-files', '--others', '--exclude-standard'], env) : ''
  const names = added === '' ? [] : added.split('\n').map((name) => ` ${name} (untracked)`)
  const commit = branch === null ? null : await headOf(folder, env)
  return {
    diffStat: [diff, ...names].filter(Boolean).join('\n').slice(0, 10_000),
    commit: commit === base ? null : commit,
    outside,
  }
}

/** Changed files, relative to the folder, that the session may not change. */
const findOutside = async (
  folder: string,
  writable: readonly string[],
  env: Environment,
): Promise<string[]> => {
  if (writable.length === 0) return []
  const prefix = await git(folder, ['rev-parse', '--show-prefix'], env)
  const changed = await git(
    folder,
    ['-c', 'core.quotePath=false', 'status', '--porcelain', '-z', '--untracked-files=all', ':/'],
    env,
  )
  const names = changed.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]))
  const places = names.map((name) => relative(prefix, name))
  return places.filter((name) => !isWritable(name, writable))
}

const MOST_DIFF = 1_000_000

/** The changes since the start as a patch, untracked files included; null outside a repository. */
export const readDiff = async (
  { folder, branch, base, project }: WorkPlace & { project: string },
  env: Environment,
): Promise<{ diff: string | null; truncated: boolean }> => {
  if (base === null) return { diff: null, truncated: false }
  const options = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--binary', base]
  // A worktree may be gone; its branch is in the repository of the project.
  const diff =
    branch === null
      ? await diffWithNewFiles(folder, options, env)
      : await git(project, [...options, branch, '--'], env, 'as it is')
  const truncated = diff.length > MOST_DIFF
  return { diff: truncated ? diff.slice(0, MOST_DIFF) : diff, truncated }
}

/** An index of its own, so that the person's stays as it is. */
const diffWithNewFiles = async (
  folder: string,
  options: readonly string[],
  env: Environment,
): Promise<string> => {
  const scratch = mkdtempSync(join(tmpdir(), 'steward-index-'))
  const own = { ...env, GIT_INDEX_FILE: join(scratch, 'index') }
  try {
    const index = await git(folder, ['rev-parse', '--git-path', 'index'], env)
    cpSync(resolve(folder, index), own.GIT_INDEX_FILE)
    await git(folder, ['add', '--all', '--intent-to-add', '.'], own)
    return await git(folder, [...options, '--'], own, 'as it is')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const authorOf = async (folder: string, env: Environment): Promise<string[]> => {
  const known = await git(folder, ['config', 'user.email'], env).catch(() => '')
  return known === '' ? ['-c', 'user.name=Steward', '-c', 'user.email=steward@localhost'] : []
}
