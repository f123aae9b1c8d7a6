import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { parseLogin } from './parse-login.ts'

export interface TokenPorts {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  platform: NodeJS.Platform
  now: () => number
  /** Asks wrangler itself, which renews a login that has run out. */
  askWrangler: () => Promise<string | undefined>
}

/** A login that is about to run out is renewed first. */
const MARGIN_MS = 60_000

/** What opens the API: STEWARD_CF_TOKEN where it is set, else wrangler's own login. */
export const findToken = async (ports: TokenPorts): Promise<string> => {
  const { env, now } = ports
  if (env.STEWARD_CF_TOKEN) return env.STEWARD_CF_TOKEN
  for (const file of await loginFiles(ports)) {
    const text = await readOptional(file)
    if (text === undefined) continue
    const login = parseLogin(text)
    const lasts = login?.expiresAt === undefined || login.expiresAt > now() + MARGIN_MS
    if (login !== undefined && lasts) return login.token
  }
  const asked = await ports.askWrangler()
  if (asked !== undefined) return asked
  throw new StewardError('not_configured', {
    subject: 'the login to the platform',
    reason: 'log in with `npx wrangler login`, or set STEWARD_CF_TOKEN to an API token',
  })
}

/** Where wrangler keeps its login; its old folder wins where there is one. */
const loginFiles = async ({ env, homedir, platform }: TokenPorts): Promise<string[]> => {
  const old = join(homedir, '.wrangler')
  const configs =
    env.XDG_CONFIG_HOME ||
    (platform === 'darwin' ? join(homedir, 'Library/Preferences') : join(homedir, '.config'))
  const folder = (await isFolder(old)) ? old : join(configs, '.wrangler')
  return [join(folder, 'config/default.toml')]
}

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch (thrown) {
    if (isMissing(thrown)) return false
    throw thrown
  }
}

const readOptional = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw new StewardError('invalid_definition', { file, reason: reasonOf(thrown) }, thrown)
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')
