import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError, unwrap } from '@steward/contract'
import {
  type DeployLedger,
  type Home,
  openDeployLedger,
  readSettings,
  resolveHome,
} from '@steward/platform'
import { type ApiAccess, DEFAULT_API_BASE } from './api-call.ts'
import { findToken } from './find-token.ts'
import { createPlatformApi, listAccounts, type PlatformApi } from './platform-api.ts'
import { runChildProcess } from './run-child-process.ts'
import { createWrangler, type Wrangler } from './wrangler.ts'

export interface PlatformPorts {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  now: () => number
  signal: AbortSignal
}

/** The user's account on the platform, with the local record of deploys to it. */
export interface Platform {
  home: Home
  api: PlatformApi
  wrangler: Wrangler
  ledger: DeployLedger
}

/** Finds the login and the account; the error for a missing one says what to do. */
export const openPlatform = async ({
  env,
  homedir,
  now,
  signal,
}: PlatformPorts): Promise<Platform> => {
  const home = resolveHome(env, homedir)
  const settings = unwrap(await readSettings(home))
  // The last part is the version of Node, and each Node adds its own.
  const ours = getCompileCacheDir()
  const wrangler = createWrangler({
    env,
    node: process.execPath,
    compiled: ours && dirname(ours),
    run: runChildProcess,
    signal,
  })
  const { platform } = process
  const askWrangler = wrangler.readToken
  const access: ApiAccess = {
    baseUrl: env.CLOUDFLARE_API_BASE_URL || DEFAULT_API_BASE,
    token: await findToken({ env, homedir, platform, now, askWrangler }),
    fetch,
    sleep: (ms) => sleep(ms, undefined, { signal }),
    signal,
  }
  const account = await findAccount(access, settings.edge.accountId ?? env.CLOUDFLARE_ACCOUNT_ID)
  return { home, api: createPlatformApi(access, account), wrangler, ledger: openDeployLedger(home) }
}

/** The configured account, or the only one that the login can use. */
export const findAccount = async (
  access: ApiAccess,
  configured: string | undefined,
): Promise<string> => {
  if (configured) return configured
  const accounts = await listAccounts(access)
  const [only] = accounts
  if (accounts.length === 1 && only !== undefined) return only.id
  const which = accounts.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw new StewardError('not_configured', {
    subject: 'the account',
    reason: `the login can use ${accounts.length === 0 ? 'none' : which}; set edge.accountId in settings.json or CLOUDFLARE_ACCOUNT_ID`,
  })
}
