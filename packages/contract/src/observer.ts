import { z } from 'zod'

/** The three observers of a team, each with its own question. Spec 3, Observer team. */
export const OBSERVERS = ['policy-compliance', 'intent-drift', 'blast-radius'] as const
export type ObserverName = (typeof OBSERVERS)[number]

export const OBSERVER_VOTES = ['continue', 'escalate', 'halt'] as const
export type ObserverVoteName = (typeof OBSERVER_VOTES)[number]

/** Who judged: deterministic rules, or a model. */
export const OBSERVER_JUDGES = ['rules', 'model'] as const
export type ObserverJudge = (typeof OBSERVER_JUDGES)[number]

/**
 * The effect of a tool call, in the terms of an observer policy. `credential` reads a secret,
 * `send` sends data out.
 */
export const OBSERVED_EFFECTS = [
  'read',
  'write',
  'delete',
  'network',
  'send',
  'privilege',
  'credential',
] as const
export type ObservedEffectName = (typeof OBSERVED_EFFECTS)[number]

const globs = z.array(z.string().min(1))
const effects = z.array(z.enum(OBSERVED_EFFECTS))

/** The file for `steward observe --policy`: what the watched session may do. */
export const observerPolicy = z
  .strictObject({
    intent: z.string().trim().min(1).optional().meta({
      description: 'The goal of the session, in one or two sentences.',
    }),
    allowedPaths: globs.optional().meta({
      description: 'Where it may write and delete; everywhere by default. Supports `~` and `**`.',
    }),
    forbiddenPaths: globs.default([]).meta({ description: 'Paths it must not touch.' }),
    forbiddenEffects: effects.default([]).meta({ description: 'Effects it must not have.' }),
    expectedEffects: effects.default([]).meta({
      description: 'Effects that the intent needs and that would otherwise be suspicious.',
    }),
    limits: z
      .strictObject({
        deletesPerCycle: z.int().positive().default(10),
        deletesInAll: z.int().positive().default(50),
        writesPerCycle: z.int().positive().default(60),
      })
      .prefault({})
      .meta({ description: 'Limits per 30 seconds and in total.' }),
    timeSensitive: z.boolean().default(false).meta({
      description: 'A person waits for the result: such work is not observed.',
    }),
  })
  .meta({ id: 'ObserverPolicy', title: 'Observer policy' })
export type ObserverPolicy = z.infer<typeof observerPolicy>

/**
 * A row of the audit log that a vote refers to. `row` is its number in this session, as in `r12`.
 */
export const observedRow = z.object({
  row: z.string(),
  timestamp: z.string(),
  tool: z.string(),
  tool_use_id: z.string().optional(),
  summary: z.string(),
})
export type ObservedRow = z.infer<typeof observedRow>

export const observerVote = z.object({
  observer: z.enum(OBSERVERS),
  vote: z.enum(OBSERVER_VOTES),
  judge: z.enum(OBSERVER_JUDGES),
  /** The rule that decided, if the rules judged. */
  rule: z.string().optional(),
  reason: z.string(),
  /** Ids of rows; empty only if there was nothing new. */
  evidence: z.array(z.string()),
  model: z.string().optional(),
  /** The vote of the rules, if it overrides the model's answer or is recorded beside it. */
  floor: z.enum(OBSERVER_VOTES).optional(),
  /** Why the model's answer was discarded. */
  problem: z.string().optional(),
  /** It called a write tool, so the rules replace it from now on. */
  halted: z.boolean().optional(),
  latency_ms: z.number().nonnegative().optional(),
})
export type ObserverVote = z.infer<typeof observerVote>

const usd = z.number().nonnegative()

/** One line of `MEMORY/OBSERVABILITY/observer-verdicts.jsonl`: one voting cycle. */
export const observerVerdict = z
  .object({
    timestamp: z.string(),
    session_id: z.string(),
    cycle: z.int().positive(),
    decision: z.enum(OBSERVER_VOTES),
    /** The person is notified: an observer voted escalate, or a halt was outvoted. */
    escalated: z.boolean(),
    reason: z.string(),
    votes: z.array(observerVote),
    evidence: z.array(observedRow),
    /** New rows in this cycle. */
    rows: z.int().nonnegative(),
    duration_ms: z.number().nonnegative(),
    cost: z.object({
      /** Null if a model without a known price was called. */
      cycle_usd: usd.nullable(),
      total_usd: usd.nullable(),
      /** Total hours of the cycles in which the session made tool calls. */
      primary_hours: z.number().nonnegative(),
      per_primary_hour_usd: usd.nullable(),
    }),
  })
  .meta({ id: 'ObserverVerdict' })
export type ObserverVerdict = z.infer<typeof observerVerdict>

/** The file of verdicts, relative to the data home. */
export const OBSERVER_VERDICTS_FILE = 'MEMORY/OBSERVABILITY/observer-verdicts.jsonl'
