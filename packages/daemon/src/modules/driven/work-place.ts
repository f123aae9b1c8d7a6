import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { type DrivenResult, StewardError } from '@steward/contract'
import type { Home } from '@steward/platform'
import { AUTHOR, copyFolder, copyPlaceOf, removeCopy, writePatch } from './folder-copy.ts'
import { type Environment, type GitPlace, git, headOf } from './git.ts'
import { inOrder } from './in-order.ts'
import { isWritable } from './permission-rules.ts'

/** Where a session works. */
export interface WorkPlace {
  folder: string
  branch: string | null
  /** The commit that it started from: of the project, or of the repository of its copy. */
  base: string | null
  /** The folder is a copy of the project. */
  copy: boolean
}

const gitPlaceOf = ({ folder, copy }: Pick<WorkPlace, 'folder' | 'copy'>): GitPlace =>
  copy ? copyPlaceOf(folder) : { folder }

/** `update the docs!` and an id become `update-the-docs-1a2b3c`. */
const slugOf = (prompt: string, id: string): string => {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return [...words.slice(0, 5), id].join('-').slice(-60).replace(/^-/, '')
}

interface PlaceWanted {
  project: string
  prompt: string
  worktree: boolean
  copy: boolean
}

/**
 * Prepares the place of a new session: the project itself, a worktree on a branch of its own, or a
 * copy.
 */
export const preparePlace = async (
  { project, prompt, worktree, copy }: PlaceWanted,
  { home, id, env }: { home: Pick<Home, 'root'>; id: string; env: Environment },
): Promise<WorkPlace> => {
  const slug = slugOf(prompt, id)
  if (copy) {
    const parent = join(home.root, 'copies')
    return { ...(await copyFolder(project, { parent, slug, env })), branch: null, copy }
  }
  const base = await headOf({ folder: project }, env)
  if (!worktree) return { folder: project, branch: null, base, copy }
  if (base === null) {
    const reason = `${project} is not a git repository with a commit; work in a copy instead`
    throw new StewardError('invalid_input', { subject: 'a worktree', reason })
  }
  const branch = `steward/${slug}`
  const parent = join(home.root, 'worktrees')
  const folder = join(parent, slug)
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const { repository, prefix } = await repositoryOf(project, env)
  const add = ['worktree', 'add', '--quiet', '-b', branch, folder, base]
  try {
    // Git reads all worktrees of a repository, and fails on one that is being added.
    await inOrder(repository, () => git({ folder: project }, add, env))
  } catch (thrown) {
    const reason = `git cannot create it: ${thrown instanceof Error ? thrown.message : thrown}`
    throw new StewardError('invalid_input', { subject: 'the worktree', reason }, thrown)
  }
  return { folder: join(folder, prefix), branch, base, copy }
}

/** The project may be a folder below the top of its repository; the prefix is the way there. */
const repositoryOf = async (
  project: string,
  env: Environment,
): Promise<{ repository: string; prefix: string }> => {
  const found = await git(
    { folder: project },
    ['rev-parse', '--git-common-dir', '--show-prefix'],
    env,
  )
  const [common = '', prefix = ''] = found.split('\n')
  return { repository: resolve(project, common), prefix }
}

/** Removes the worktree or the copy of a session that never started. */
export const removePlace = async (
  project: string,
  { branch, folder, copy }: WorkPlace,
  env: Environment,
): Promise<void> => {
  if (copy) return removeCopy(folder)
  if (branch === null) return
  const top = await git({ folder }, ['rev-parse', '--show-toplevel'], env)
  const { repository } = await repositoryOf(project, env)
  await inOrder(repository, async () => {
    await git({ folder: project }, ['worktree', 'remove', '--force', top], env)
    await git({ folder: project }, ['branch', '--quiet', '-D', branch], env)
  })
}

/**
 * What changed since the start. In a worktree everything is committed to its branch first, in a copy
 * to the repository of the copy.
 */
export const collectChanges = async (
  session: WorkPlace,
  { subject, writable }: { subject: string; writable: readonly string[] },
  env: Environment,
): Promise<Omit<DrivenResult, 'check'>> => {
  const { folder, branch, base, copy } = session
  if (base === null) return { diffStat: null, commit: null, patch: null, outside: [] }
  const place = gitPlaceOf(session)
  const isApart = branch !== null || copy
  const outside = await findOutside(place, writable, env)
  if (isApart) {
    await git(place, ['add', '--all', ':/'], env)
    if (outside.length > 0) await git(place, ['reset', '--quiet', '--', ...outside], env)
    const staged = await git(place, ['diff', '--cached', '--name-only', '--no-ext-diff'], env)
    if (staged !== '') {
      const author = await authorOf(place, env)
      await git(place, [...author, 'commit', '--quiet', '--no-verify', '-m', subject], env)
    }
  }
  const diff = await git(
    place,
    ['diff', '--stat', '--no-ext-diff', '--no-textconv', base, ...(isApart ? ['HEAD'] : [])],
    env,
    { output: 'as it is' },
  )
  const added = isApart ? '' : await git(place, ['ls-files', '--others', '--exclude-standard'], env)
  const names = added === '' ? [] : added.split('\n').map((name) => ` ${name} (untracked)`)
  const commit = branch === null ? null : await headOf(place, env)
  return {
    diffStat: [diff.trimEnd(), ...names].filter(Boolean).join('\n').slice(0, 10_000),
    commit: commit === base ? null : commit,
    patch: copy ? await writePatch(folder, base, env) : null,
    outside,
  }
}

/** Changed files, relative to the folder, that the session may not change. */
const findOutside = async (
  place: GitPlace,
  writable: readonly string[],
  env: Environment,
): Promise<string[]> => {
  if (writable.length === 0) return []
  const prefix = await git(place, ['rev-parse', '--show-prefix'], env)
  const changed = await git(
    place,
    ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', ':/'],
    env,
    { output: 'as it is' },
  )
  const names = changed.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]))
  const places = names.map((name) => relative(prefix, name))
  return places.filter((name) => !isWritable(name, writable))
}

const MOST_DIFF = 1_000_000

/** The changes since the start as a patch, untracked files included; null outside a repository. */
export const readDiff = async (
  { folder, branch, base, copy, project }: WorkPlace & { project: string },
  env: Environment,
): Promise<{ diff: string | null; truncated: boolean }> => {
  if (base === null) return { diff: null, truncated: false }
  const options = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--binary', base]
  const between = (place: GitPlace, end: string): Promise<string> =>
    git(place, [...options, end, '--'], env, { output: 'as it is' })
  const readAll = (): Promise<string> => {
    if (copy) return between(gitPlaceOf({ folder, copy }), 'HEAD')
    // A worktree may be gone; its branch is in the repository of the project.
    return branch === null
      ? diffWithNewFiles(folder, options, env)
      : between({ folder: project }, branch)
  }
  const diff = await readAll()
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
    const index = await git({ folder }, ['rev-parse', '--git-path', 'index'], env)
    cpSync(resolve(folder, index), own.GIT_INDEX_FILE)
    await git({ folder }, ['add', '--all', '--intent-to-add', '.'], own)
    return await git({ folder }, [...options, '--'], own, { output: 'as it is' })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const authorOf = async (place: GitPlace, env: Environment): Promise<readonly string[]> => {
  const known = await git(place, ['config', 'user.email'], env).catch(() => '')
  return known === '' ? AUTHOR : []
}
