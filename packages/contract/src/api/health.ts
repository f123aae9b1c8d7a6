import { z } from 'zod'
import { defineRoute } from './route.ts'

/** `unavailable`: not in this version, or switched off; this is not a fault. */
export const MODULE_STATUSES = ['ok', 'degraded', 'failed', 'stopped', 'unavailable'] as const
export type ModuleStatus = (typeof MODULE_STATUSES)[number]

export const moduleHealth = z.looseObject({
  status: z.enum(MODULE_STATUSES),
  /** Why it is not `ok`, for people. */
  reasons: z.array(z.string()).optional(),
})
export type ModuleHealth = z.infer<typeof moduleHealth>

export const health = z
  .object({
    status: z.enum(['ok', 'degraded']),
    reasons: z.array(z.string()),
    service: z.literal('steward'),
    version: z.string(),
    pid: z.int(),
    port: z.int(),
    startedAt: z.string(),
    /** Seconds. */
    uptime: z.number(),
    subsystems: z.record(z.string(), moduleHealth),
  })
  .meta({ id: 'Health' })
export type Health = z.infer<typeof health>

export const healthRoutes = {
  getHealth: defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'Daemon health: 200 also when degraded, with the reasons.',
    access: 'public',
    why: 'Supervisors and monitors call it without a token; it contains nothing private.',
    answer: health,
  }),
}
