import { z } from 'zod'
import { observerVerdict } from '../observer.ts'
import { defineRoute } from './route.ts'

/** A session that is halted until a person lifts the halt. */
export const observerHaltView = z.object({
  session_id: z.string(),
  reason: z.string(),
  at: z.string(),
  by: z.string(),
})
export type ObserverHaltView = z.infer<typeof observerHaltView>

/** Totals of one session's verdicts. */
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
    summary: 'Observed sessions, the last 200 verdicts (newest first), and halted sessions.',
    access: 'local',
    why: 'Reading is open on loopback: other origins and host names are already refused.',
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
    summary: 'Lifts the halt of a session.',
    access: 'token',
    why: 'It undoes a protection, so it needs the person.',
    body: z.strictObject({ session_id: z.string().min(1) }),
    answer: z.object({ lifted: z.boolean() }),
    errors: ['storage_failed'],
  }),
}
