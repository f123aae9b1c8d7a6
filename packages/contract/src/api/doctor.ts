import { z } from 'zod'
import { defineRoute } from './route.ts'

/** What one check of the installation found. */
export const doctorFinding = z.object({
  check: z.string(),
  status: z.enum(['ok', 'warn', 'fail']),
  message: z.string(),
  /** How a person repairs it. */
  repair: z.string().optional(),
  /** The same as one command for a terminal, where it is one. */
  command: z.string().optional(),
  /** What `POST /api/doctor/repair` would change; without it the daemon cannot repair it. */
  change: z.string().optional(),
})
export type DoctorFinding = z.infer<typeof doctorFinding>

export const doctorRoutes = {
  examine: defineRoute({
    method: 'GET',
    path: '/api/doctor',
    summary: 'Every check of `steward doctor`, with the repairs that the daemon can do itself.',
    access: 'token',
    why: 'It starts the programs of assistants to ask for their version, and names files.',
    answer: z.object({ findings: z.array(doctorFinding) }),
    perMinute: 30,
  }),
  repair: defineRoute({
    method: 'POST',
    path: '/api/doctor/repair',
    summary: 'Repairs what a check found, as it is named there; answers with what was done.',
    access: 'token',
    why: 'It changes files, also those of assistants.',
    body: z.strictObject({ check: z.string(), message: z.string() }),
    answer: z.object({ done: z.string() }),
    errors: ['not_found', 'storage_failed'],
    perMinute: 30,
  }),
}
