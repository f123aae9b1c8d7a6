import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionError } from '@steward/contract'
import { DEFAULT_PATH, findCommand, hideSecretForms, type Sandbox } from '@steward/platform'
import type { EgressOptions } from '../egress/egress.ts'
import { runThrough } from '../egress/run-with-egress.ts'
import type { Mount } from '../hands.ts'

export type RepositoryMount = Extract<Mount, { type: 'repository' }>
export type RepositoryError = Extract<SessionError, { repository_url: string | null }>

export interface CloneOptions {
  sessionId: string
  /** A folder of the server that receives the clone. */
  parent: string
  name: string
  sandbox: Sandbox
  /** Overrides how hosts are reached. */
  reach?: Pick<EgressOptions, 'dial' | 'upstreamCa' | 'onDecision'>
  signal?: AbortSignal
}

const TIMEOUT_MS = 15 * 60_000
const TOKEN = 'REPOSITORY_TOKEN'

/**
 * Clones outside the session's sandbox, in a small sandbox that has no token either: the egress
 * inserts it. The clone's remote has no token, no hook runs, and no git configuration of a user is
 * read. Returns the error, or `undefined`.
 */
export const cloneRepository = async (
  { url, checkout, token }: RepositoryMount,
  { sessionId, parent, name, sandbox, reach = {}, signal }: CloneOptions,
): Promise<RepositoryError | undefined> => {
  const fail = (type: RepositoryError['type'], message: string): RepositoryError => ({
    type,
    message,
    repository_url: url,
    retry_status: { type: 'terminal' },
  })
  const address = URL.parse(url)
  if (address?.protocol !== 'https:' || address.port !== '' || address.username !== '') {
    return fail(
      'repository_clone_error',
      'only https:// addresses without user and port are cloned',
    )
  }
  const git = findCommand('git', DEFAULT_PATH)
  if (!git.ok) return fail('repository_clone_error', git.error.message)
  const work = `${name}.part`
  await rm(join(parent, work), { recursive: true, force: true })
  const host = address.hostname
  const inject = { header: true, body: false }
  const run = (args: readonly string[]) =>
    runThrough((env) => [git.value, ...SAFE, ...authorize(env[TOKEN]), ...args], {
      sandbox,
      cwd: parent,
      env: ENVIRONMENT,
      timeoutMs: TIMEOUT_MS,
      egress: {
        ...reach,
        sessionId,
        networking: {
          type: 'limited',
          allowedHosts: [host],
          allowPackageManagers: false,
          mcpHosts: [],
        },
        credentials:
          token === undefined ? [] : [{ name: TOKEN, secret: token, allowedHosts: [host], inject }],
      },
      ...(signal === undefined ? {} : { signal }),
    })
  for (const args of stepsOf(url, work, checkout)) {
    const { code, stderr, timedOut } = await run(args)
    if (timedOut) return fail('repository_clone_error', `cloning took more than ${TIMEOUT_MS} ms`)
    if (code !== 0) return fail(classify(stderr), lastLines(stderr))
  }
  await rename(join(parent, work), join(parent, name))
  return undefined
}

const stepsOf = (
  url: string,
  folder: string,
  checkout: RepositoryMount['checkout'],
): string[][] => {
  const clone = ['clone', '--quiet', '--template=', '--no-recurse-submodules']
  if (checkout?.type === 'branch') {
    return [[...clone, '--branch', checkout.name, '--', url, folder]]
  }
  if (checkout === undefined) return [[...clone, '--', url, folder]]
  return [
    [...clone, '--no-checkout', '--', url, folder],
    ['-C', folder, 'checkout', '--quiet', '--detach', checkout.sha],
  ]
}

/** Allows only https and no program that a repository or a user's settings could name. */
const SAFE = [
  'protocol.allow=never',
  'protocol.https.allow=always',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'credential.helper=',
  'submodule.recurse=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting])

const ENVIRONMENT = {
  PATH: DEFAULT_PATH,
  LANG: 'C',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LFS_SKIP_SMUDGE: '1',
}

/** Sends the token's placeholder; as an option of this call it is not stored. */
const authorize = (placeholder: string | undefined): string[] => {
  if (placeholder === undefined) return []
  const pair = Buffer.from(`x-access-token:${placeholder}`).toString('base64')
  return ['-c', `http.extraHeader=Authorization: Basic ${pair}`]
}

const CLASSES: ReadonlyArray<[RepositoryError['type'], RegExp]> = [
  [
    'repository_checkout_error',
    /remote branch .* not found|pathspec|not a tree|unable to read tree|bad object|not our ref/i,
  ],
  [
    'repository_authentication_error',
    /authentication failed|could not read username|invalid username|returned error: 401/i,
  ],
  ['repository_forbidden_error', /returned error: 403|access denied|forbidden/i],
  ['repository_not_found_error', /repository .*not found|returned error: 404/i],
]

const classify = (stderr: string): RepositoryError['type'] =>
  CLASSES.find(([, pattern]) => pattern.test(stderr))?.[0] ?? 'repository_clone_error'

const lastLines = (stderr: string): string =>
  hideSecretForms(stderr).trim().split('\n').slice(-3).join(' ').slice(0, 500) ||
  'git printed nothing'
