import { z } from 'zod'
import { defineRoute } from './route.ts'

/** The result of one check of the installation. */
export const doctorFinding = z.object({
  check: z.string(),
  status: z.enum(['ok', 'warn', 'fail']),
  message: z.string(),
  /** How a person can repair it. */
  repair: z.string().optional(),
  /** The repair as one terminal command, if one command is enough. */
  command: z.string().optional(),
  /**
   * The change that `POST /api/doctor/repair` would make; absent if the daemon cannot repair it.
   */
  change: z.string().optional(),
})
export type DoctorFinding = z.infer<typeof doctorFinding>

export const doctorRoutes = {
  examine: defineRoute({
    method: 'GET',
    path: '/api/doctor',
    summary: 'Every check of `steward doctor`, with the repairs that the daemon can make.',
    access: 'token',
    why: 'It starts the programs of assistants to read their version, and it names files.',
    answer: z.object({ findings: z.array(doctorFinding) }),
    perMinute: 30,
  }),
  repair: defineRoute({
    method: 'POST',
    path: '/api/doctor/repair',
    summary: 'Repairs a finding by its name; returns the changes made.',
    access: 'token',
    why: 'It changes files, including those of assistants.',
    body: z.strictObject({ check: z.string(), message: z.string() }),
    answer: z.object({ done: z.string() }),
    errors: ['not_found', 'storage_failed'],
    perMinute: 30,
  }),
}
