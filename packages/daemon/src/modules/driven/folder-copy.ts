import { constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { cp, lstat, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { type Environment, type GitPlace, git, headOf } from './git.ts'

/** Larger folders are refused: each session would need as much space again. */
const MOST_FILES = 100_000
const MOST_BYTES = 2 * 1024 ** 3
const FIRST_COMMIT_MS = 300_000

/** Copied, so that tests run; but not part of the diff. */
const INSTALLED = ['node_modules/', '.venv/', 'venv/', '__pycache__/']
/** Files are compared as they are. */
const ATTRIBUTES = '* -text -filter -ident -working-tree-encoding\n'
export const AUTHOR = ['-c', 'user.name=Steward', '-c', 'user.email=steward@localhost']

/** A copy is in a folder of its own; its repository and its patch are beside that. */
export const copyPlaceOf = (folder: string): GitPlace & { gitDir: string; patch: string } => ({
  folder,
  gitDir: `${dirname(folder)}.git`,
  patch: `${dirname(folder)}.patch`,
})

/**
 * Copies a project into `parent/slug` and commits it to a repository beside the copy, which the
 * assistant does not see. Returns the copy and its commit.
 */
export const copyFolder = async (
  project: string,
  { parent, slug, env }: { parent: string; slug: string; env: Environment },
): Promise<{ folder: string; base: string }> => {
  const source = resolve(project)
  const folder = join(parent, slug, basename(source) || 'root')
  if (`${parent}${sep}`.startsWith(source === sep ? sep : `${source}${sep}`)) {
    throw cannotCopy(project, "it contains Steward's data home")
  }
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  try {
    await cp(source, folder, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      mode: constants.COPYFILE_FICLONE,
      filter: createFilter(project),
    })
    return { folder, base: await commitAll(copyPlaceOf(folder), env) }
  } catch (thrown) {
    await removeCopy(folder)
    throw thrown instanceof StewardError ? thrown : cannotCopy(project, reasonOf(thrown), thrown)
  }
}

/** Files and folders without the data of git; throws if there are too many. */
const createFilter = (project: string): ((path: string) => Promise<boolean>) => {
  let files = 0
  let bytes = 0
  return async (path) => {
    if (basename(path) === '.git') return false
    const found = await lstat(path)
    if (found.isDirectory() || found.isSymbolicLink()) return true
    if (!found.isFile()) return false
    files += 1
    bytes += found.size
    if (files > MOST_FILES) throw cannotCopy(project, `it has more than ${MOST_FILES} files`)
    if (bytes > MOST_BYTES) throw cannotCopy(project, `it has more than ${MOST_BYTES} bytes`)
    return true
  }
}

const cannotCopy = (project: string, reason: string, cause?: unknown): StewardError =>
  new StewardError('invalid_input', { subject: `a copy of ${project}`, reason }, cause)

const commitAll = async (place: GitPlace & { gitDir: string }, env: Environment) => {
  await git({ folder: place.folder }, ['init', '--quiet', '--bare', place.gitDir], env)
  const info = join(place.gitDir, 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'exclude'), `${INSTALLED.join('\n')}\n`)
  writeFileSync(join(info, 'attributes'), ATTRIBUTES)
  await git(place, ['config', 'core.compression', '0'], env)
  await git(place, ['add', '--all', '.'], env, { limitMs: FIRST_COMMIT_MS })
  const message = ['--quiet', '--no-verify', '--allow-empty', '-m', 'The project as it was copied']
  await git(place, [...AUTHOR, 'commit', ...message], env, { limitMs: FIRST_COMMIT_MS })
  const base = await headOf(place, env)
  if (base === null) throw new Error('git did not commit it')
  return base
}

/** Writes the changes of a copy as a patch, and returns its path; null if there are none. */
export const writePatch = async (
  folder: string,
  base: string,
  env: Environment,
): Promise<string | null> => {
  const place = copyPlaceOf(folder)
  if ((await headOf(place, env)) === base) return null
  const options = ['--binary', '--no-color', '--no-ext-diff', '--no-textconv']
  await git(place, ['diff', ...options, `--output=${place.patch}`, base, 'HEAD'], env)
  return statSync(place.patch).size === 0 ? null : place.patch
}

/** Removes a copy with its repository and its patch. */
export const removeCopy = async (folder: string): Promise<void> => {
  const { gitDir, patch } = copyPlaceOf(folder)
  for (const path of [dirname(folder), gitDir, patch]) {
    if (existsSync(path)) await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}
