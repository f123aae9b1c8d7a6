import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { Home } from '@steward/platform'

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

const git = (folder: string, args: readonly string[], env: Environment): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(
      'git',
      ['-C', folder, ...PLAIN, ...args],
      { env: { ...env, GIT_TERMINAL_PROMPT: '0' }, timeout: GIT_MS, maxBuffer: MOST_OUTPUT },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout.trim()) : reject(new Error(stderr.trim() || error.message)),
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
  subject: string,
  env: Environment,
): Promise<{ diffStat: string | null; commit: string | null }> => {
  if (base === null) return { diffStat: null, commit: null }
  if (branch !== null) {
    await git(folder, ['add', '--all', ':/'], env)
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
  }
}

const authorOf = async (folder: string, env: Environment): Promise<string[]> => {
  const known = await git(folder, ['config', 'user.email'], env).catch(() => '')
  return known === '' ? ['-c', 'user.name=Steward', '-c', 'user.email=steward@localhost'] : []
}
