import { z } from 'zod'
import { HOSTS } from '../host-event.ts'
import { fields } from '../json.ts'
import { defineRoute } from './route.ts'

const WHY =
  'Hosts call it before a tool call and have no token; it only answers, and refuses rather than allows.'
/** A file that is about to be written comes along whole. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

const guard = {
  method: 'POST',
  access: 'local',
  why: WHY,
  query: z.object({
    /** Whose payload it is; guessed from its form when it is left out or not known. */
    host: z.enum(HOSTS).optional().catch(undefined),
    /** When the hook that tells of it was started; now, when it is left out. */
    at: z.iso.datetime().optional().catch(undefined),
  }),
  /** A host's payload, whatever it is. */
  body: z.unknown(),
  /** The host's own form of an answer; `{}` is no opinion. Never `allow`. */
  answer: fields,
  maxBodyBytes: MAX_BODY_BYTES,
  takesAnyBody: true,
  errors: ['payload_too_large'],
} as const

export const guardRoutes = {
  guardSkill: defineRoute({
    ...guard,
    path: '/hooks/skill-guard',
    summary: 'Judges a skill that is about to be used: blocked ones are refused, slips named.',
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
}
