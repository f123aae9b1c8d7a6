import { z } from 'zod'

/** Spec 2, States and transitions. Stored in lower case at the top level of an entry. */
export const PHASES = [
  'OBSERVE',
  'THINK',
  'PLAN',
  'BUILD',
  'EXECUTE',
  'VERIFY',
  'LEARN',
  'COMPLETE',
] as const
export const phase = z.enum(PHASES)
export type Phase = z.infer<typeof phase>

export const SESSION_MODES = ['starting', 'native'] as const
export type SessionMode = (typeof SESSION_MODES)[number]

/** `isa` is the specification sync; `merged` means both signals named the same phase. */
export const PHASE_SOURCES = ['voice', 'isa', 'merged'] as const
export type PhaseSource = (typeof PHASE_SOURCES)[number]

const epochMs = z.number().nonnegative()

export const phaseHistoryEntry = z.looseObject({
  phase: z.string(),
  startedAt: epochMs,
  completedAt: epochMs.optional(),
  criteriaCount: z.int().nonnegative().optional(),
  agentCount: z.int().nonnegative().optional(),
  source: z.string().optional(),
})
export type PhaseHistoryEntry = z.infer<typeof phaseHistoryEntry>

export const criterion = z.looseObject({
  id: z.string(),
  description: z.string(),
  type: z.enum(['criterion', 'anti-criterion']),
  status: z.enum(['pending', 'completed']),
  createdInPhase: z.string().optional(),
})
export type Criterion = z.infer<typeof criterion>

/** The mode of one turn of the conversation, in addition to the session's lane. */
export const TURN_MODES = ['minimal', 'native', 'algorithm'] as const
export type TurnMode = (typeof TURN_MODES)[number]

export const modeHistoryEntry = z.looseObject({
  mode: z.string(),
  startedAt: epochMs,
  endedAt: epochMs.optional(),
})
export type ModeHistoryEntry = z.infer<typeof modeHistoryEntry>

/** A person's rating of an answer, 1 to 10. */
export const sessionRating = z.looseObject({
  value: z.number().min(1).max(10),
  timestamp: epochMs,
  message: z.string().optional(),
})
export type SessionRating = z.infer<typeof sessionRating>

export const sessionAgent = z.looseObject({
  name: z.string(),
  agentType: z.string(),
  status: z.string(),
  task: z.string().optional(),
  phase: z.string().optional(),
})
export type SessionAgent = z.infer<typeof sessionAgent>

/** Why a specification has no criteria. */
export const CRITERIA_WARNINGS = ['missing-section', 'empty-section', 'all-dropped'] as const
export type CriteriaWarning = (typeof CRITERIA_WARNINGS)[number]

/** Which session a phase was assigned to, in the answer of `POST /notify`. */
export const phaseOutcome = z.object({
  written: z.boolean(),
  slug: z.string().optional(),
  reason: z.enum(['unknown_slug', 'no_active_session', 'state_unreadable']).optional(),
})
export type PhaseOutcome = z.infer<typeof phaseOutcome>

/**
 * One session in `work.json`. All fields are optional and unknown fields are kept, because other
 * programs also write this file and must find their data unchanged.
 */
export const workEntry = z
  .looseObject({
    task: z.string().optional(),
    sessionName: z.string().optional(),
    /** The host assistant's `session_id`. */
    sessionUUID: z.string().optional(),
    mode: z.string().optional(),
    phase: z.string().optional(),
    /** `done/total` criteria. */
    progress: z.string().optional(),
    effort: z.string().optional(),
    started: z.string().optional(),
    updatedAt: z.string().optional(),
    lastToolActivity: z.string().optional(),
    /** The specification's path, relative to the data home's `MEMORY`. */
    isa: z.string().optional(),
    criteria: z.array(criterion).optional(),
    phaseHistory: z.array(phaseHistoryEntry).optional(),
    currentMode: z.string().optional(),
    modeHistory: z.array(modeHistoryEntry).optional(),
    minimalCount: z.int().nonnegative().optional(),
    iteration: z.int().positive().optional(),
    ratings: z.array(sessionRating).optional(),
    capabilities: z.array(z.string()).optional(),
    agents: z.array(sessionAgent).optional(),
    intent: z.string().optional(),
    criteriaParseWarning: z.string().optional(),
    /** Former slugs of this entry, so that late phase writes still find it. */
    previousSlugs: z.array(z.string()).optional(),
  })
  .meta({ id: 'WorkEntry' })
export type WorkEntry = z.infer<typeof workEntry>

/**
 * `MEMORY/STATE/work.json`. Entries that Steward writes are `WorkEntry`s; an entry of another
 * program in another form is kept unchanged and must not make the others unreadable.
 */
export const workState = z
  .looseObject({ sessions: z.record(z.string(), z.unknown()) })
  .meta({ id: 'WorkState', title: 'Work state' })
export type WorkState = z.infer<typeof workState>

/** One session as a dashboard shows it: `GET /api/algorithm`. */
export const algorithmSession = z
  .object({
    active: z.boolean(),
    stale: z.boolean(),
    /** The slug. */
    sessionId: z.string(),
    sessionUUID: z.string().optional(),
    /** The machine that pushed it; missing for this one. */
    machine: z.string().optional(),
    taskDescription: z.string(),
    rawTask: z.string(),
    currentPhase: z.string(),
    phaseStartedAt: epochMs,
    algorithmStartedAt: epochMs,
    completedAt: epochMs.optional(),
    effortLevel: z.string(),
    mode: z.enum(SESSION_MODES),
    currentMode: z.enum(TURN_MODES),
    modeHistory: z.array(modeHistoryEntry),
    criteria: z.array(criterion),
    progress: z.object({ done: z.int().nonnegative(), total: z.int().nonnegative() }),
    phaseHistory: z.array(
      z.object({
        phase: z.string(),
        startedAt: epochMs,
        completedAt: epochMs.optional(),
        criteriaCount: z.int().nonnegative(),
        agentCount: z.int().nonnegative(),
        source: z.string(),
      }),
    ),
    agents: z.array(sessionAgent),
    capabilities: z.array(z.string()),
    prdPath: z.string().optional(),
    intent: z.string().optional(),
    criteriaParseWarning: z.string().optional(),
    reworkCount: z.int().nonnegative(),
    ratings: z.array(sessionRating),
    minimalCount: z.int().nonnegative(),
    /** The later of the two activity signals, if any. */
    lastActivityAt: epochMs.optional(),
  })
  .meta({ id: 'AlgorithmSession' })
export type AlgorithmSession = z.infer<typeof algorithmSession>

export const algorithmView = z.object({
  algorithms: z.array(algorithmSession),
  active: z.boolean(),
  pulseStrip: z.array(sessionRating),
})
export type AlgorithmView = z.infer<typeof algorithmView>
