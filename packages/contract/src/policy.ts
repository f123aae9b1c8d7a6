import { z } from 'zod'

/**
 * Verdicts of a guard. There is no `allow`, because it would skip the person's own permission
 * prompt.
 */
export const VERDICTS = ['pass', 'alert', 'ask', 'deny'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Kinds of access to a path. */
export const PATH_ACCESSES = ['read', 'write', 'delete'] as const
export type PathAccess = (typeof PATH_ACCESSES)[number]

/**
 * A verdict with its reasons. `rule` names the deciding rule, `part` the piece of the input it
 * matched.
 */
export interface Judgement {
  verdict: Verdict
  rule: string
  reason: string
  part: string
  /**
   * The section, path tier or prompt category of the rule; `builtin` for rules that always apply.
   */
  tier?: string
  /** The access and the path, if the rule is about a path. */
  effect?: PathAccess
  path?: string
  /** Judgements of rules in shadow mode. They never change the verdict. */
  shadowed?: Judgement[]
}

/** The sections of `bash` in evaluation order. */
export const PATTERN_SECTIONS = ['trusted', 'blocked', 'confirm', 'alert'] as const
export type PatternSection = (typeof PATTERN_SECTIONS)[number]

/** The tiers of `paths` in evaluation order. */
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
  /** Log matches without enforcing. */
  shadow: z.boolean().optional(),
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
const philosophy = z.object({ mode: z.string().optional(), principle: z.string().optional() })

const bash = z
  .strictObject({ trusted: patterns, blocked: patterns, confirm: patterns, alert: patterns })
  .default({ trusted: [], blocked: [], confirm: [], alert: [] })
const paths = z
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
  })

/** Additional rules while the working directory is inside `path` (defaults to the key). */
const projectRules = z.looseObject({ path: z.string().min(1).optional(), bash, paths })
export type ProjectRules = z.infer<typeof projectRules>

/** `USER/SECURITY/PATTERNS.yaml`. */
export const securityPolicy = z.object({
  version: z.union([z.string(), z.number()]).transform(String).default('1.0'),
  last_updated: z.union([z.string(), z.date()]).transform(String).optional(),
  philosophy: philosophy.nullish().transform((given): z.infer<typeof philosophy> => given ?? {}),
  /** Log matches without enforcing: for the whole file, or for these sections, tiers and rules. */
  shadow: z.union([z.boolean(), z.array(z.string().min(1))]).default(false),
  bash,
  paths,
  projects: z
    .record(z.string(), projectRules)
    .nullish()
    .transform((projects) => projects ?? {}),
})
export type SecurityPolicy = z.infer<typeof securityPolicy>

export const PROMPT_CATEGORIES = [
  'injection',
  'exfiltration',
  'evasion',
  'security_disable',
] as const
export type PromptCategory = (typeof PROMPT_CATEGORIES)[number]
