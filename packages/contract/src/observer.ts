import { z } from 'zod'

/** The three of an observer team, each with its own question. Spec 3, Observer team. */
export const OBSERVERS = ['policy-compliance', 'intent-drift', 'blast-radius'] as const
export type ObserverName = (typeof OBSERVERS)[number]

export const OBSERVER_VOTES = ['continue', 'escalate', 'halt'] as const
export type ObserverVoteName = (typeof OBSERVER_VOTES)[number]

/** Who judged: rules that always say the same, or a model. */
export const OBSERVER_JUDGES = ['rules', 'model'] as const
export type ObserverJudge = (typeof OBSERVER_JUDGES)[number]

/** What a tool call did, in the words of an observer policy. `credential` is a read of a secret, `send` goes out with data. */
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

/** The file of `steward observe --policy`: what the watched session may do. */
export const observerPolicy = z
  .strictObject({
    intent: z.string().trim().min(1).optional().meta({
      description: 'What the session is meant to do, in a sentence or two.',
    }),
    allowedPaths: globs.optional().meta({
      description: 'Where it may write and delete; everywhere unless given. `~` and `**` work.',
    }),
    forbiddenPaths: globs.default([]).meta({ description: 'What it must not touch at all.' }),
    forbiddenEffects: effects.default([]).meta({ description: 'What it must not do at all.' }),
    expectedEffects: effects.default([]).meta({
      description: 'What the intent needs, though it would be suspicious otherwise.',
    }),
    limits: z
      .strictObject({
        deletesPerCycle: z.int().positive().default(10),
        deletesInAll: z.int().positive().default(50),
        writesPerCycle: z.int().positive().default(60),
      })
      .prefault({})
      .meta({ description: 'How much may happen in 30 seconds, and in all.' }),
    timeSensitive: z.boolean().default(false).meta({
      description: 'Somebody waits for it: such work is not observed.',
    }),
  })
  .meta({ id: 'ObserverPolicy', title: 'Observer policy' })
export type ObserverPolicy = z.infer<typeof observerPolicy>

/** A row of the audit log that a vote is about. `row` is its number in this session, as in `r12`. */
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
  /** The rule that decided, when the judge was the rules. */
  rule: z.string().optional(),
  reason: z.string(),
  /** Ids of rows; empty only when there was nothing new. */
  evidence: z.array(z.string()),
  model: z.string().optional(),
  /** What the rules said, where that weighs more than the model's own answer or is kept beside it. */
  floor: z.enum(OBSERVER_VOTES).optional(),
  /** Why the model's answer does not count. */
  problem: z.string().optional(),
  /** It called a write tool: the rules sit in its place until the end. */
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
    /** The person is told: someone voted escalate, or a halt was outvoted. */
    escalated: z.boolean(),
    reason: z.string(),
    votes: z.array(observerVote),
    evidence: z.array(observedRow),
    /** Rows that were new in this cycle. */
    rows: z.int().nonnegative(),
    duration_ms: z.number().nonnegative(),
    cost: z.object({
      /** Null when a model without a known price was asked. */
      cycle_usd: usd.nullable(),
      total_usd: usd.nullable(),
      /** Hours of cycles in which the session made tool calls. */
      primary_hours: z.number().nonnegative(),
      per_primary_hour_usd: usd.nullable(),
    }),
  })
  .meta({ id: 'ObserverVerdict' })
export type ObserverVerdict = z.infer<typeof observerVerdict>

/** Where verdicts are kept, below the data home. */
export const OBSERVER_VERDICTS_FILE = 'MEMORY/OBSERVABILITY/observer-verdicts.jsonl'
