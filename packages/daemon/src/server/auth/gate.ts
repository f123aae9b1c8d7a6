import type { IncomingHttpHeaders } from 'node:http'
import { type Access, type Settings, StewardError, toStewardError } from '@steward/contract'
import type { BrowserSessions } from './browser-sessions.ts'
import { isSameSecret } from './same-secret.ts'

export type AuthMode = Settings['auth']['mode']

export interface GatePorts {
  token: () => Promise<string>
  sessions: Pick<BrowserSessions, 'has'>
  mode: () => AuthMode
  cookieName: () => string
}

/** Who may call what: the token as bearer, or the cookie of a browser that signed in. */
export const createGate = ({ token, sessions, mode, cookieName }: GatePorts) => {
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
    check: async (access: Access, headers: IncomingHttpHeaders): Promise<void> => {
      if (access === 'public' || (access === 'local' && mode() === 'default')) return
      let trusted: boolean
      try {
        trusted = await isTrusted(headers)
        // Without a token nobody can get in: that is the reason to give, whatever the caller sent.
        if (!trusted) await token()
      } catch (thrown) {
        throw toStewardError(thrown, 'not_configured', { subject: 'the token file' })
      }
      if (trusted) return
      throw new StewardError('unauthorized')
    },
  }
}
export type Gate = ReturnType<typeof createGate>

const BEARER = /^Bearer +(?<token>\S+) *$/i

const cookieOf = (header: string, name: string): string | undefined => {
  for (const pair of header.split(';')) {
    const [key = '', value] = pair.split('=', 2)
    if (key.trim() === name && value !== undefined) return value.trim()
  }
  return undefined
}
