import { API, StewardError } from '@steward/contract'
import { type Handler, handle } from '../../module.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { Gate } from './gate.ts'
import { createSignInCodes } from './sign-in-codes.ts'

export interface AuthPorts {
  gate: Gate
  sessions: Pick<BrowserSessions, 'create'>
  cookieName: () => string
  now: () => number
}

/**
 * Signs a browser in: the holder of the token gets a code, which the browser exchanges for a
 * cookie.
 */
export const createAuthHandlers = ({ gate, sessions, cookieName, now }: AuthPorts): Handler[] => {
  const codes = createSignInCodes(now)
  return [
    handle(API.createAuthCode, () => codes.create()),
    handle(API.signIn, async ({ query }) => {
      if (!codes.use(query.code)) throw new StewardError('unauthorized')
      const { id, maxAgeSeconds } = await sessions.create()
      const cookie = `${cookieName()}=${id}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
      return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } })
    }),
    handle(API.getAuth, async (_, call) => {
      const headers = { authorization: call.header('authorization'), cookie: call.header('cookie') }
      return { signedIn: await gate.isTrusted(headers), mode: gate.mode() }
    }),
  ]
}
