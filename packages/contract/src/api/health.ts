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
    /** Whether every module runs and every store can be used; see `/health/ready`. */
    ready: z.boolean().optional(),
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

export const readiness = z
  .object({
    ready: z.boolean(),
    /** What is not ready, for people. */
    reasons: z.array(z.string()),
  })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof readiness>

export const healthRoutes = {
  getHealth: defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'Daemon health: 200 also when degraded, with the reasons.',
    access: 'public',
    why: 'Supervisors and monitors call it without a token; it contains nothing private.',
    answer: health,
  }),
  getHealthz: defineRoute({
    method: 'GET',
    path: '/healthz',
    summary: 'The same as `/health`, for monitors that expect this name.',
    access: 'public',
    why: 'Supervisors and monitors call it without a token; it contains nothing private.',
    answer: health,
  }),
  getLiveness: defineRoute({
    method: 'GET',
    path: '/health/live',
    summary: 'Whether the process answers: 200 for as long as it does.',
    access: 'public',
    why: 'Supervisors decide by it whether to restart the process; nothing private is in it.',
    answer: z.object({ alive: z.literal(true) }),
  }),
  getReadiness: defineRoute({
    method: 'GET',
    path: '/health/ready',
    summary:
      '200 when every module runs and every store can be used, otherwise 503 with the reasons.',
    access: 'public',
    why: 'Monitors and load balancers decide by it whether to send work; nothing private is in it.',
    answer: readiness,
  }),
}
