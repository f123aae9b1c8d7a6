import { z } from 'zod'
import { defineRoute } from './route.ts'

export const authRoutes = {
  createAuthCode: defineRoute({
    method: 'POST',
    path: '/api/auth/code',
    summary: 'A code that signs a browser in once, within a minute.',
    access: 'token',
    why: 'Whoever has the token may sign a browser in; `steward open` does.',
    body: z.strictObject({}),
    answer: z.object({ code: z.string(), expiresAt: z.string() }),
  }),
  signIn: defineRoute({
    method: 'GET',
    path: '/auth',
    summary: 'Trades a code for the dashboard cookie and goes to the dashboard.',
    access: 'public',
    why: 'The code is the proof; it works once.',
    query: z.object({ code: z.string().min(1) }),
    answer: 'bytes',
    status: 303,
    errors: ['unauthorized'],
    perMinute: 30,
  }),
  getAuth: defineRoute({
    method: 'GET',
    path: '/api/auth',
    summary: 'Whether this caller is signed in, and what mode the daemon is in.',
    access: 'public',
    why: 'The dashboard asks before it offers what needs signing in.',
    answer: z.object({ signedIn: z.boolean(), mode: z.enum(['default', 'strict', 'any-account']) }),
  }),
}
