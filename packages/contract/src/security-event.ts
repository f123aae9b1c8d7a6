import { z } from 'zod'
import { VERDICTS, type Verdict } from './policy.ts'

/** Names that predecessors use for verdicts; their readers search the log for them. */
export const SECURITY_EVENT_TYPES = ['block', 'confirm', 'alert', 'allow'] as const
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number]

export const SECURITY_EVENT_TYPE_OF: Readonly<Record<Verdict, SecurityEventType>> = {
  deny: 'block',
  ask: 'confirm',
  alert: 'alert',
  pass: 'allow',
}

/** An action of a guard, real or in shadow mode, before it is written to the security log. */
export interface SecurityEventDraft {
  /** ISO time; defaults to now. */
  timestamp?: string
  session_id: string
  /** The assistant; empty if unknown. */
  host: string
  /** Its tool; `prompt` for a prompt. */
  tool: string
  verdict: Verdict
  /** The judgement's `rule`. */
  rule: string
  reason: string
  /** The command, path or prompt. Secrets are redacted and the text is cut before writing. */
  target: string
  /** The rule is in shadow mode: it was logged but not enforced. */
  shadow?: boolean
  /** Names the call, where the assistant does: the hook and the daemon may both record it. */
  call?: string
}

/**
 * One line of `MEMORY/SECURITY/YYYY/MM/security-YYYY-MM-DD.jsonl`. Each line contains the hash of
 * the previous one.
 */
export interface SecurityRow extends Required<Omit<SecurityEventDraft, 'call'>> {
  call?: string
  event_type: SecurityEventType
  /** Counts from 1 across all files. */
  seq: number
  /** The hash of the previous row; empty in the first. */
  prev: string
  /** SHA-256 of the row's text without this field. */
  hash: string
}

/** An event as shown. Rows written by predecessors are converted to this form and have no `seq`. */
export const securityEvent = z
  .object({
    /** Can be passed as `before` to get the next page. */
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
    /** `bash_command`, `path_access` or `prompt`. */
    category: z.string().optional(),
    /** `blocked`, `asked`, `logged` or `allowed`, or what a predecessor wrote. */
    action_taken: z.string().optional(),
    seq: z.int().positive().optional(),
  })
  .meta({ id: 'SecurityEvent' })
export type SecurityEvent = z.infer<typeof securityEvent>

/** The result of verifying the whole security log. */
export const securityLogCheck = z.object({
  ok: z.boolean(),
  rows: z.int().nonnegative(),
  /** Lines that are not rows: interrupted writes, which were never acknowledged. */
  torn: z.int().nonnegative(),
  /** The first position where the log was altered; `line` counts from 1. */
  firstBroken: z.object({ file: z.string(), line: z.int(), why: z.string() }).optional(),
})
export type SecurityLogCheck = z.infer<typeof securityLogCheck>
