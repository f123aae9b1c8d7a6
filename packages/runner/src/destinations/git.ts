import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { StewardError, unwrap } from '@steward/contract'
import { bodyOf, type Deliver, deliveryKey, fillText, titleOf } from '@steward/engine'
import {
  type Confinement,
  confinePath,
  createUnsandboxed,
  DEFAULT_PATH,
  findCommand,
  withLock,
  writeFileAtomically,
} from '@steward/platform'

const GIT_MS = 60_000
const OUTPUT_BYTES = 64 * 1024
const SUBJECT_CHARS = 72
/** In the message of each commit, so that a repeated delivery finds it. */
const TRAILER = 'Steward-Delivery'

/**
 * Writes a file of its own per item into a repository and commits that file alone, whatever else is
 * staged there. Hooks of the repository do not run.
 */
export const createGitDelivery =
  (folders: Confinement, locks: string): Deliver<'git'> =>
  async ({ repository, folder, message }, delivery) => {
    const root = dirname(await confinePath(join(repository, '.steward'), folders))
    const key = deliveryKey(delivery)
    const title = titleOf(delivery)
    const name = `${[slugOf(title), key.slice(0, 8)].filter(Boolean).join('-')}.md`
    const closed = [join(root, '.git'), ...(folders.never ?? [])]
    const file = await confinePath(join(root, folder, name), { roots: [root], never: closed })
    const path = relative(root, file)
    const git = openGit(root)
    await mkdir(locks, { recursive: true })
    return withLock(
      join(locks, createHash('sha256').update(root).digest('hex')),
      async () => {
        await checkRepository(git, root)
        const trailer = `${TRAILER}: ${key}`
        const before = await git([
          'log',
          '-1',
          '--format=%H',
          '-F',
          `--grep=${trailer}`,
          '--',
          path,
        ])
        // A repository without commits has no log.
        const known = before.code === 0 ? before.stdout.trim() : ''
        if (known !== '') return { repository: root, file: path, commit: known, repeated: true }
        await mkdir(dirname(file), { recursive: true })
        await writeFileAtomically(file, `${bodyOf(delivery).trim()}\n`)
        const fields = { ...delivery.output, title }
        const whole = message === undefined ? `Add ${title}` : fillText(message, fields)
        const subject = whole.replaceAll(/\s+/g, ' ').trim().slice(0, SUBJECT_CHARS)
        await succeed(git(['add', '--', path]))
        await succeed(
          git([
            ...(await identity(git)),
            'commit',
            '-q',
            '--only',
            '-m',
            subject,
            '-m',
            trailer,
            '--',
            path,
          ]),
        )
        const { stdout } = await succeed(git(['rev-parse', 'HEAD']))
        return { repository: root, file: path, commit: stdout.trim() }
      },
      { waitMs: GIT_MS },
    )
  }

type Git = (args: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>

/** No program that the repository or the user’s settings name runs on the way. */
const QUIET = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'gc.auto=0',
]

const openGit =
  (root: string): Git =>
  async (args) => {
    const path = process.env.PATH || DEFAULT_PATH
    const command = unwrap(findCommand('git', path))
    const settings = QUIET.flatMap((setting) => ['-c', setting])
    return createUnsandboxed().run([command, ...settings, ...args], {
      cwd: root,
      env: { PATH: path, HOME: homedir(), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
      timeoutMs: GIT_MS,
      network: false,
      maxOutputBytes: OUTPUT_BYTES,
    })
  }

const succeed = async (running: ReturnType<Git>): ReturnType<Git> => {
  const outcome = await running
  if (outcome.code === 0) return outcome
  const reason = outcome.stderr.trim().split('\n').at(-1) || `it ended with code ${outcome.code}`
  throw new StewardError('upstream_failed', { service: 'git', reason })
}

const checkRepository = async (git: Git, root: string): Promise<void> => {
  const { code, stdout } = await git(['rev-parse', '--show-toplevel'])
  if (code === 0 && stdout.trim() === root) return
  throw new StewardError('not_configured', {
    subject: 'the git destination',
    reason: `${root} is not the top folder of a git repository: create one with git init`,
  })
}

/** The identity that git is set up with, else ours. */
const identity = async (git: Git): Promise<string[]> => {
  const { code } = await git(['config', 'user.email'])
  return code === 0 ? [] : ['-c', 'user.name=Steward', '-c', 'user.email=steward@localhost']
}

/** The title as part of a file name. */
const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
