import { z } from 'zod'

/** What a guard says. There is no `allow`: that would skip the person's own permission prompt. */
export const VERDICTS = ['pass', 'alert', 'ask', 'deny'] as const
export type Verdict = (typeof VERDICTS)[number]

/** A verdict with its grounds. `rule` names what decided, `part` the piece of the input it is about. */
export interface Judgement {
  verdict: Verdict
  rule: string
  reason: string
  part: string
}

/** The sections of `bash` in the order in which they are tried. */
export const PATTERN_SECTIONS = ['trusted', 'blocked', 'confirm', 'alert'] as const
export type PatternSection = (typeof PATTERN_SECTIONS)[number]

/** The tiers of `paths` in the order in which they are tried. */
export const PATH_TIERS = [
  'zeroAccess',
  'alertAccess',
  'confirmAccess',
  'readOnly',
  'confirmWrite',
  'noDelete',
] as const
export type PathTier = (typeof PATH_TIERS)[number]

const securityPattern = z.strictObject({
  pattern: z.string().min(1),
  reason: z.string().default(''),
})
export type SecurityPattern = z.infer<typeof securityPattern>

const patterns = z
  .array(securityPattern)
  .nullish()
  .transform((list) => list ?? [])
const globs = z
  .array(z.string().min(1))
  .nullish()
  .transform((list) => list ?? [])
const nothing = <Value>(value: Value) => value ?? {}

/** `USER/SECURITY/PATTERNS.yaml`. */
export const securityPolicy = z.object({
  version: z.union([z.string(), z.number()]).transform(String).default('1.0'),
  last_updated: z.union([z.string(), z.date()]).transform(String).optional(),
  philosophy: z
    .object({ mode: z.string().optional(), principle: z.string().optional() })
    .nullish()
    .transform(nothing),
  bash: z
    .strictObject({ trusted: patterns, blocked: patterns, confirm: patterns, alert: patterns })
    .default({ trusted: [], blocked: [], confirm: [], alert: [] }),
  paths: z
    .strictObject({
      zeroAccess: globs,
      alertAccess: globs,
      confirmAccess: globs,
      readOnly: globs,
      confirmWrite: globs,
      noDelete: globs,
    })
    .default({
      zeroAccess: [],
      alertAccess: [],
      confirmAccess: [],
      readOnly: [],
      confirmWrite: [],
      noDelete: [],
    }),
  /** Reserved for rules of single projects; read and kept. */
  projects: z.record(z.string(), z.unknown()).nullish().transform(nothing),
})
export type SecurityPolicy = z.infer<typeof securityPolicy>

export const PROMPT_CATEGORIES = [
  'injection',
  'exfiltration',
  'evasion',
  'security_disable',
] as const
export type PromptCategory = (typeof PROMPT_CATEGORIES)[number]
