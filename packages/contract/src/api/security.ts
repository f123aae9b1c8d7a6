import { z } from 'zod'
import { HOSTS } from '../host-event.ts'
import { LIMITS } from '../limits.ts'
import { PATH_ACCESSES, PATH_TIERS, PATTERN_SECTIONS, VERDICTS } from '../policy.ts'
import { securityEvent, securityLogCheck } from '../security-event.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const WRITE = 'A policy change can switch the guards off.'

const section = z.enum(PATTERN_SECTIONS)
const tier = z.enum(PATH_TIERS)
const index = z.int().nonnegative()
const pattern = z.string().min(1).max(1000)
const reason = z.string().max(500)
const path = z.string().min(1).max(1000)
/**
 * The revision of the policy file that the editor loaded (`revision` of an answer); `If-Match` is
 * equivalent.
 */
const revision = z.string().max(100).optional()

/** One change of the policy file. An entry is identified by its index, its content, or both. */
export const policyEdit = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('add_pattern'),
    section,
    pattern,
    reason: reason.default(''),
    shadow: z.boolean().optional(),
    revision,
  }),
  z.strictObject({
    action: z.literal('edit_pattern'),
    section,
    index,
    pattern: pattern.optional(),
    reason: reason.optional(),
    revision,
  }),
  z.strictObject({
    action: z.literal('remove_pattern'),
    section,
    index: index.optional(),
    pattern: pattern.optional(),
    revision,
  }),
  z.strictObject({ action: z.literal('add_path'), tier, path, revision }),
  z.strictObject({ action: z.literal('edit_path'), tier, index, path, revision }),
  z.strictObject({
    action: z.literal('remove_path'),
    tier,
    index: index.optional(),
    path: path.optional(),
    revision,
  }),
  /**
   * `rule` as in judgements and counts, a section such as `bash.blocked`, or `*` for the whole
   * file.
   */
  z.strictObject({
    action: z.literal('set_shadow'),
    rule: z.string().min(1).max(1200),
    shadow: z.boolean(),
    revision,
  }),
])
export type PolicyEdit = z.infer<typeof policyEdit>

const ruleCount = z.object({
  rule: z.string(),
  verdict: z.enum(VERDICTS),
  /** The rule is in shadow mode: it was logged but not enforced. */
  shadow: z.boolean(),
  last7Days: z.int(),
  last30Days: z.int(),
  lastAt: z.string(),
})

/** A judgement as the API returns it. */
export const shownJudgement = z.object({
  verdict: z.enum(VERDICTS),
  rule: z.string(),
  reason: z.string(),
  part: z.string(),
  tier: z.string().optional(),
  effect: z.enum(PATH_ACCESSES).optional(),
  path: z.string().optional(),
})

const shownPattern = z.object({
  pattern: z.string(),
  reason: z.string(),
  rule: z.string(),
  shadow: z.boolean(),
})

const hookSummary = z.object({
  /** The event name that the host uses. */
  type: z.string(),
  host: z.enum(HOSTS),
  matcher: z.string(),
  command: z.string(),
  status: z.enum(['active', 'missing']),
})

export const securityOverview = z
  .object({
    /** The version declared in the file. */
    version: z.string(),
    lastUpdated: z.string().nullable(),
    /** The mode and the principle of the file, as one text. */
    philosophy: z.string(),
    /** Revision of the policy file; changes with its text. */
    revision: z.string(),
    /** `defaults`: the file is missing or broken. */
    source: z.enum(['file', 'defaults']),
    /** Why the file is ignored in favour of the built-in policy. */
    problem: z.string().nullable(),
    warnings: z.array(z.string()),
    trusted: z.array(shownPattern),
    blocked: z.array(shownPattern),
    confirm: z.array(shownPattern),
    alerts: z.array(shownPattern),
    /** In evaluation order; empty tiers are omitted. */
    pathTiers: z.array(
      z.object({
        tier,
        effect: z.string(),
        paths: z.array(z.string()),
        rules: z.array(z.object({ path: z.string(), rule: z.string(), shadow: z.boolean() })),
      }),
    ),
    /** True if the whole file is in shadow mode, otherwise the sections and rules that are. */
    shadow: z.union([z.boolean(), z.array(z.string())]),
    /** The 30 newest events. */
    events: z.array(securityEvent),
    /** Counts of the last 30 days. */
    eventCounts: z.object({
      blocks: z.int(),
      confirms: z.int(),
      alerts: z.int(),
      injections: z.int(),
      /** Matches of rules in shadow mode. */
      shadowed: z.int(),
      total: z.int(),
    }),
    /**
     * Matches per rule in the last 30 days, including rules in shadow mode; most frequent first.
     */
    ruleCounts: z.array(ruleCount),
    hooks: z.array(hookSummary),
    /** Calls that Claude Code itself refuses: `permissions.deny` of its settings. */
    denyList: z.array(z.string()),
    securityRules: z.string(),
    rulesRevision: z.string(),
    injectionPatterns: z.array(
      z.object({
        category: z.string(),
        description: z.string(),
        pattern: z.string(),
        effect: z.string(),
      }),
    ),
    promptGuardPatterns: z.array(z.object({ category: z.string(), count: z.int() })),
  })
  .meta({ id: 'SecurityOverview' })
export type SecurityOverview = z.infer<typeof securityOverview>

/** One of our hooks in one assistant. */
export const hookDetail = z.object({
  host: z.enum(HOSTS),
  event: z.string(),
  matcher: z.string(),
  /** The program's file name, or the path of the daemon's guard. */
  command: z.string(),
  description: z.string(),
  behavior: z.string(),
  canBlock: z.boolean(),
  registered: z.boolean(),
  /** The host's settings file; paths are shown relative to the home directory. */
  registeredIn: z.string(),
  /** Why its registration cannot be determined. */
  problem: z.string().nullable(),
  lastFiredAt: z.string().nullable(),
  lastDurationMs: z.number().nullable(),
  /** Over the counted firings. */
  medianDurationMs: z.number().nullable(),
  firings: z.int(),
  failures: z.int(),
  lastErrors: z.array(z.string()),
})
export type HookDetail = z.infer<typeof hookDetail>

/** A recorded tool call that a change of the policy affects. */
const simulatedCall = z.object({
  timestamp: z.string(),
  session_id: z.string(),
  host: z.string(),
  tool: z.string(),
  /** The command, the file or the input, as far as the log has it. */
  command: z.string(),
  /** The verdict of the current policy. */
  before: z.enum(VERDICTS),
  /** The verdict of the changed policy. */
  after: z.enum(VERDICTS),
  /** The rule is in shadow mode: it only logs the call. */
  shadow: z.boolean(),
})

const written = z.object({
  ok: z.literal(true),
  action: z.string(),
  revision: z.string(),
  /** The id that `POST /api/security/undo` takes to revert this change. */
  undo: z.string(),
})

export const securityRoutes = {
  getSecurity: defineRoute({
    method: 'GET',
    path: '/api/security',
    summary:
      'Patterns, path tiers, rules, events, counts, hooks and prompt patterns in one answer.',
    access: 'local',
    why: READ,
    answer: securityOverview,
  }),
  editSecurityPatterns: defineRoute({
    method: 'POST',
    path: '/api/security/patterns',
    summary:
      'Adds, edits or removes a pattern or a path, or sets a rule to shadow mode. Takes effect with the next tool call.',
    access: 'token',
    why: WRITE,
    body: policyEdit,
    answer: written,
    errors: ['invalid_input', 'not_found', 'version_conflict', 'rejected_content'],
  }),
  saveSecurityRules: defineRoute({
    method: 'POST',
    path: '/api/security/rules',
    summary: 'Replaces the file of rules in natural language. It is stored, not evaluated.',
    access: 'token',
    why: WRITE,
    body: z.strictObject({ content: z.string(), revision }),
    answer: written,
    errors: ['invalid_input', 'version_conflict', 'payload_too_large'],
  }),
  undoSecurityChange: defineRoute({
    method: 'POST',
    path: '/api/security/undo',
    summary: 'Reverts a change of the policy or the rules, unless the file has changed since.',
    access: 'token',
    why: WRITE,
    body: z.strictObject({ undo: z.string().min(1).max(100) }),
    answer: written,
    errors: ['not_found', 'version_conflict'],
  }),
  getSecurityHooks: defineRoute({
    method: 'GET',
    path: '/api/security/hooks',
    summary: "Each of Steward's hooks: purpose, registration and last firing.",
    access: 'local',
    why: READ,
    answer: z.record(z.string(), hookDetail),
  }),
  getHooksDetail: defineRoute({
    method: 'GET',
    path: '/api/security/hooks-detail',
    summary:
      'The same for dashboards of LifeOS, with an entry per `command` of `GET /api/security`.',
    access: 'local',
    why: READ,
    answer: z.record(z.string(), hookDetail),
  }),
  trySecurity: defineRoute({
    method: 'POST',
    path: '/api/security/try',
    summary: 'Tests a tool call, a path or a prompt against the guards. Nothing is run.',
    access: 'local',
    why: 'It only judges: nothing is run, read or written.',
    body: z
      .strictObject({
        tool: z.string().max(200).default('Bash'),
        /** A command line, a path, or the input of the tool. */
        input: z
          .union([z.string().max(LIMITS.securityTryChars), z.record(z.string(), z.unknown())])
          .optional(),
        path: z.string().max(4096).optional(),
        effect: z.enum(PATH_ACCESSES).default('read'),
        prompt: z.string().max(LIMITS.securityTryChars).optional(),
        /** The working directory; defaults to the home directory. */
        cwd: z.string().max(4096).optional(),
        /** Judges with this change of the policy, which is not saved. */
        edit: policyEdit.optional(),
      })
      .refine(
        ({ input, path: asked, prompt }) =>
          [input, asked, prompt].filter((given) => given !== undefined).length === 1,
        'give one of input, path and prompt',
      ),
    answer: shownJudgement.extend({
      /** Judgements of rules in shadow mode; they change nothing. */
      shadowed: z.array(shownJudgement),
      source: z.enum(['file', 'defaults']),
      problem: z.string().nullable(),
    }),
    errors: ['invalid_input', 'not_found', 'rejected_content', 'payload_too_large'],
    maxBodyBytes: 256 * 1024,
    perMinute: 600,
  }),
  simulateSecurity: defineRoute({
    method: 'POST',
    path: '/api/security/simulate',
    summary:
      'Judges the recorded tool calls of the last 30 days with a change of the policy, which is not saved.',
    access: 'token',
    why: 'It shows commands of sessions and judges thousands of them.',
    body: z.strictObject({ edit: policyEdit }),
    answer: z.object({
      days: z.int(),
      /** The calls that were judged: the newest, at most 5000. */
      calls: z.int(),
      /** Whether the period has more calls. */
      isCut: z.boolean(),
      /** Calls that the rule decides or logs, or whose verdict it changes. */
      matches: z.int(),
      /** Matches whose verdict changes, counted by the new verdict. */
      changed: z.object({ deny: z.int(), ask: z.int(), alert: z.int(), pass: z.int() }),
      /** Matches that the rule only logs. */
      shadowed: z.int(),
      /** The 20 newest matches. */
      latest: z.array(simulatedCall),
    }),
    errors: ['invalid_input', 'not_found', 'rejected_content', 'storage_failed'],
    perMinute: 30,
  }),
  listSecurityEvents: defineRoute({
    method: 'GET',
    path: '/api/security/events',
    summary: 'Security events, newest first, a page at a time.',
    access: 'local',
    why: READ,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(50),
      /** The `next` value of the previous page. */
      before: z.string().max(200).optional(),
      /** Only events of this session. A page looks at up to 5000 events. */
      session: z.string().min(1).max(200).optional(),
      /** Only events with this verdict. A page looks at up to 5000 events. */
      verdict: z.enum(VERDICTS).optional(),
    }),
    answer: z.object({ events: z.array(securityEvent), next: z.string().nullable() }),
    errors: ['invalid_input'],
  }),
  verifySecurity: defineRoute({
    method: 'GET',
    path: '/api/security/verify',
    summary:
      'Verifies the hash chain of the security log; finds changed, missing, moved or truncated rows.',
    access: 'local',
    why: READ,
    answer: securityLogCheck,
    perMinute: 60,
  }),
}
