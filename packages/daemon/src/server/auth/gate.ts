import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Access, type Settings, StewardError, toStewardError } from '@steward/contract'
import type { IsOwnAccount } from '@steward/http'
import type { BrowserSessions } from './browser-sessions.ts'

export type AuthMode = Settings['auth']['mode']

export interface GatePorts {
  token: () => Promise<string>
  sessions: Pick<BrowserSessions, 'has'>
  mode: () => AuthMode
  cookieName: () => string
  isOwnAccount: IsOwnAccount
}

/**
 * Decides who may call a route: the token as bearer, the cookie of a browser that signed in, or, for
 * `local` routes by default, any program of our own account.
 */
export const createGate = (ports: GatePorts) => {
  const { token, sessions, mode, cookieName, isOwnAccount } = ports
  const isTrusted = async (headers: IncomingHttpHeaders): Promise<boolean> => {
    const bearer = BEARER.exec(headers.authorization ?? '')?.groups?.token
    if (bearer !== undefined) return isSameSecret(bearer, await token())
    const id = cookieOf(headers.cookie ?? '', cookieName())
    return id !== undefined && (await sessions.has(id))
  }
  return {
    mode,
    isTrusted,
    /** Throws `unauthorized` when the caller needs more than it has. */
    check: async (access: Access, { headers, socket }: Caller): Promise<void> => {
      if (access === 'public' || (access === 'local' && mode() === 'any-account')) return
      const maySkipToken = access === 'local' && mode() === 'default'
      let fault: StewardError | undefined
      try {
        // Credentials come first, because on some systems finding the account takes a process.
        if (await isTrusted(headers)) return
        // Without a token every caller is refused, and the missing token is the reason to give.
        await token()
      } catch (thrown) {
        fault = toStewardError(thrown, 'not_configured', { subject: 'the token file' })
      }
      if (maySkipToken && (await isOwnAccount(socket))) return
      throw fault ?? new StewardError('unauthorized')
    },
  }
}
type Caller = Pick<IncomingMessage, 'headers' | 'socket'>

export type Gate = ReturnType<typeof createGate>

const BEARER = /^Bearer +(?<token>\S+) *$/i

const cookieOf = (header: string, name: string): string | undefined => {
  for (const pair of header.split(';')) {
    const [key = '', value] = pair.split('=', 2)
    if (key.trim() === name && value !== undefined) return value.trim()
  }
  return undefined
}

/** Compares two secrets in constant time. */
export const isSameSecret = (given: string, wanted: string): boolean => {
  if (last?.text !== wanted) last = { text: wanted, digest: digest(wanted) }
  return timingSafeEqual(digest(given), last.digest)
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** The token is the same for every request. */
let last: { text: string; digest: Buffer } | undefined
