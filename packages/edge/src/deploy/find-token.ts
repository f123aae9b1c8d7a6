import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { isAbsent } from '@steward/platform'

export interface TokenPorts {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  platform: NodeJS.Platform
  now: () => number
  /** Asks wrangler itself, which renews an expired login. */
  askWrangler: () => Promise<string | undefined>
}

/** A login that expires this soon is renewed first. */
const MARGIN_MS = 60_000

/** The API token: STEWARD_CF_TOKEN if set, otherwise wrangler's own login. */
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

/** Where wrangler keeps its login; its old folder takes precedence if it exists. */
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
    if (isAbsent(thrown)) return false
    throw thrown
  }
}

const readOptional = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined
    throw new StewardError('invalid_definition', { file, reason: reasonOf(thrown) }, thrown)
  }
}

export interface Login {
  token: string
  /** Milliseconds since 1970; `undefined` if the file does not say. */
  expiresAt: number | undefined
}

/**
 * Reads token and expiry from wrangler's login file: TOML with plain strings at the top. For any
 * other format wrangler is asked instead.
 */
export const parseLogin = (text: string): Login | undefined => {
  const top = text.split(/^\s*\[/m)[0] ?? ''
  const token = stringOf(top, 'oauth_token')
  if (token === undefined || !VISIBLE.test(token)) return undefined
  const expiresAt = Date.parse(stringOf(top, 'expiration_time') ?? '')
  return { token, expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt }
}

/** Other characters are not allowed in a header. */
const VISIBLE = /^[\x21-\x7e]+$/

const stringOf = (text: string, key: string): string | undefined =>
  new RegExp(
    `^[ \\t]*${key}[ \\t]*=[ \\t]*(?:"([^"\\\\\\n]*)"|'([^'\\n]*)')[ \\t]*(?:#.*)?\\r?$`,
    'm',
  )
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
