import { z } from 'zod'
import { VERDICTS, type Verdict } from './policy.ts'

/** What predecessors call a verdict; their readers look for it in the log. */
export const SECURITY_EVENT_TYPES = ['block', 'confirm', 'alert', 'allow'] as const
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number]

export const SECURITY_EVENT_TYPE_OF: Readonly<Record<Verdict, SecurityEventType>> = {
  deny: 'block',
  ask: 'confirm',
  alert: 'alert',
  pass: 'allow',
}

/** What a guard did, or in shadow would have done, as it is handed to the security log. */
export interface SecurityEventDraft {
  /** ISO; now, when it is left out. */
  timestamp?: string
  session_id: string
  /** The assistant; empty when it is not known. */
  host: string
  /** Its tool; `prompt` for a prompt. */
  tool: string
  verdict: Verdict
  /** The judgement's `rule`. */
  rule: string
  reason: string
  /** The command, path or prompt it was about. Secrets are taken out and it is cut before it is written. */
  target: string
  /** The rule is in shadow: nothing was done. */
  shadow?: boolean
  /** Names the call, where the assistant does: the hook and the daemon may both record it. */
  call?: string
}

/** One line of `MEMORY/SECURITY/YYYY/MM/security-YYYY-MM-DD.jsonl`. Each carries the hash of the one before. */
export interface SecurityRow extends Required<Omit<SecurityEventDraft, 'call'>> {
  call?: string
  event_type: SecurityEventType
  /** Counts from 1 through all files. */
  seq: number
  /** The hash of the row before; empty in the first. */
  prev: string
  /** SHA-256 of the row's text without this field. */
  hash: string
}

/** An event as it is shown. Rows that predecessors wrote are brought into this form; they have no `seq`. */
export const securityEvent = z
  .object({
    /** Good as `before` of the next page. */
    id: z.string(),
    timestamp: z.string(),
    session_id: z.string(),
    host: z.string(),
    tool: z.string(),
    verdict: z.enum(VERDICTS),
    event_type: z.string(),
    rule: z.string(),
    reason: z.string(),
    target: z.string(),
    shadow: z.boolean(),
    seq: z.int().positive().optional(),
  })
  .meta({ id: 'SecurityEvent' })
export type SecurityEvent = z.infer<typeof securityEvent>

/** What a look through the whole security log found. */
export const securityLogCheck = z.object({
  ok: z.boolean(),
  rows: z.int().nonnegative(),
  /** Lines that are no rows: writes that were cut short. None of them was ever acknowledged. */
  torn: z.int().nonnegative(),
  /** The first place where the log is not what was written; `line` counts from 1. */
  firstBroken: z.object({ file: z.string(), line: z.int(), why: z.string() }).optional(),
})
export type SecurityLogCheck = z.infer<typeof securityLogCheck>
