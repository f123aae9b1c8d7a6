import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ApiAccess,
  createPlatformApi,
  createWrangler,
  DEFAULT_API_BASE,
  type DeployLedger,
  findAccount,
  findToken,
  type PlatformApi,
  runProgram,
  type Wrangler,
} from '@steward/edge'
import { type Home, readSettings, resolveHome } from '@steward/platform'
import type { Io } from '../io.ts'
import { openLedger } from './open-ledger.ts'

/** The platform account of the person, and what is remembered of it here. */
export interface Platform {
  home: Home
  api: PlatformApi
  wrangler: Wrangler
  ledger: DeployLedger
}

/** Finds login and account; says what to do where there is none. */
export const openPlatform = async (io: Io): Promise<Platform> => {
  const home = resolveHome(io.env, io.homedir)
  const settings = await readSettings(home)
  if (!settings.ok) throw settings.error
  const { env, homedir, now, signal } = io
  // Its last part names the version of Node, which each Node adds by itself.
  const ours = getCompileCacheDir()
  const wrangler = createWrangler({
    env,
    node: process.execPath,
    compiled: ours && dirname(ours),
    run: runProgram,
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
  const account = await findAccount(
    access,
    settings.value.edge.accountId ?? env.CLOUDFLARE_ACCOUNT_ID,
  )
  return { home, api: createPlatformApi(access, account), wrangler, ledger: openLedger(home) }
}
