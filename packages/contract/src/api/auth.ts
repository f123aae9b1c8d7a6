import { z } from 'zod'
import { defineRoute } from './route.ts'

export const authRoutes = {
  createAuthCode: defineRoute({
    method: 'POST',
    path: '/api/auth/code',
    summary: 'Returns a code that signs a browser in; valid once, for one minute.',
    access: 'token',
    why: 'The holder of the token may sign a browser in; `steward open` does.',
    body: z.strictObject({}),
    answer: z.object({ code: z.string(), expiresAt: z.string() }),
  }),
  signIn: defineRoute({
    method: 'GET',
    path: '/auth',
    summary: 'Exchanges a code for the dashboard cookie and redirects to the dashboard.',
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
    summary: 'Whether this caller is signed in, and the mode of the daemon.',
    access: 'public',
    why: 'The dashboard needs it before it offers actions that require signing in.',
    answer: z.object({ signedIn: z.boolean(), mode: z.enum(['default', 'strict', 'any-account']) }),
  }),
}
