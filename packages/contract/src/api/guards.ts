import { z } from 'zod'
import { HOSTS } from '../host-event.ts'
import { fields } from '../json.ts'
import { defineRoute } from './route.ts'

const WHY =
  'Hosts call it before a tool call and have no token; it only answers, and it can refuse but never allow.'
/** The payload includes the full content of a file about to be written. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

const guard = {
  method: 'POST',
  access: 'local',
  why: WHY,
  query: z.object({
    /** The assistant that sent the payload; detected from its shape if missing or unknown. */
    host: z.enum(HOSTS).optional().catch(undefined),
    /** When the hook that tells of it was started; now, when it is left out. */
    at: z.iso.datetime().optional().catch(undefined),
  }),
  /** The host's payload, in any shape. */
  body: z.unknown(),
  /** The answer in the host's format; `{}` means no opinion. Never `allow`. */
  answer: fields,
  maxBodyBytes: MAX_BODY_BYTES,
  takesAnyBody: true,
  errors: ['payload_too_large'],
} as const

export const guardRoutes = {
  guardSkill: defineRoute({
    ...guard,
    path: '/hooks/skill-guard',
    summary: 'Judges a skill before use: blocked skills are refused, typos get a suggestion.',
  }),
  guardAgent: defineRoute({
    ...guard,
    path: '/hooks/agent-guard',
    summary: 'Hints for the launch of an agent: the watchdog, its type, its model tier.',
  }),
  guardSecurity: defineRoute({
    ...guard,
    path: '/hooks/security-guard',
    summary: 'Judges a tool call or a prompt by the security policy.',
  }),
  getSessionContext: defineRoute({
    method: 'POST',
    path: '/hooks/session-context',
    summary: 'Instructions for an assistant at the start of its session; empty if they are off.',
    access: 'local',
    why: 'The hook program asks at the start of a session; it only answers.',
    body: z.object({
      session_id: z.string().max(200),
      cwd: z.string().max(4096).optional(),
      /** The assistant has the skills of the plugin. */
      skill: z.boolean().default(false),
    }),
    answer: z.object({ context: z.string() }),
  }),
}
