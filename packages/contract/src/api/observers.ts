import { z } from 'zod'
import { observerVerdict } from '../observer.ts'
import { defineRoute } from './route.ts'

/** A session that must not go on until a person lifts it. */
export const observerHaltView = z.object({
  session_id: z.string(),
  reason: z.string(),
  at: z.string(),
  by: z.string(),
})
export type ObserverHaltView = z.infer<typeof observerHaltView>

/** What the verdicts of one session come to. */
export const observedSession = z.object({
  session_id: z.string(),
  cycles: z.int().nonnegative(),
  continued: z.int().nonnegative(),
  escalated: z.int().nonnegative(),
  halted: z.int().nonnegative(),
  firstAt: z.string(),
  lastAt: z.string(),
  cost_usd: z.number().nonnegative().nullable(),
  per_primary_hour_usd: z.number().nonnegative().nullable(),
  last: observerVerdict,
})
export type ObservedSession = z.infer<typeof observedSession>

export const observerRoutes = {
  listObservers: defineRoute({
    method: 'GET',
    path: '/api/observers',
    summary: 'Observed sessions, the last 200 verdicts (newest first), and who is halted.',
    access: 'local',
    why: 'Reading is open on loopback: other origins and host names are refused before.',
    answer: z.object({
      sessions: z.array(observedSession),
      verdicts: z.array(observerVerdict),
      halts: z.array(observerHaltView),
    }),
    errors: ['storage_failed'],
  }),
  liftObserverHalt: defineRoute({
    method: 'POST',
    path: '/api/observers/lift',
    summary: 'Lets a halted session go on.',
    access: 'token',
    why: 'It undoes a protection, so it needs the person.',
    body: z.strictObject({ session_id: z.string().min(1) }),
    answer: z.object({ lifted: z.boolean() }),
    errors: ['storage_failed'],
  }),
}
