import { execFile } from 'node:child_process'
import { devNull } from 'node:os'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where git works: a folder in a repository, or one whose repository is kept elsewhere. */
export interface GitPlace {
  folder: string
  /** Only this repository is used, without the person's settings. */
  gitDir?: string
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
const NO_SETTINGS = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull }

interface GitOptions {
  output?: 'trimmed' | 'as it is'
  limitMs?: number
}

export const git = (
  { folder, gitDir }: GitPlace,
  args: readonly string[],
  env: Environment,
  { output = 'trimmed', limitMs = GIT_MS }: GitOptions = {},
): Promise<string> =>
  new Promise((done, reject) => {
    const apart = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${folder}`]
    execFile(
      'git',
      ['-C', folder, ...apart, ...PLAIN, ...args],
      {
        env: {
          ...env,
          ...(gitDir === undefined ? {} : NO_SETTINGS),
          GIT_TERMINAL_PROMPT: '0',
        },
        timeout: limitMs,
        maxBuffer: MOST_OUTPUT,
      },
      (error, stdout, stderr) =>
        error === null
          ? done(output === 'trimmed' ? stdout.trim() : stdout)
          : reject(new Error(stderr.trim() || error.message)),
    )
  })

/** The commit that a folder has checked out; null outside a repository or before its first commit. */
export const headOf = (place: GitPlace, env: Environment): Promise<string | null> =>
  git(place, ['rev-parse', '--verify', 'HEAD'], env).catch(() => null)
