import { z } from 'zod'

/** Spec 2, States and transitions. Stored in lower case at the top of an entry. */
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

/** `isa` is the specification sync; `merged` when both signals named the same phase. */
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

/** What a turn of the conversation asked for, beside the lane a session is in. */
export const TURN_MODES = ['minimal', 'native', 'algorithm'] as const
export type TurnMode = (typeof TURN_MODES)[number]

export const modeHistoryEntry = z.looseObject({
  mode: z.string(),
  startedAt: epochMs,
  endedAt: epochMs.optional(),
})
export type ModeHistoryEntry = z.infer<typeof modeHistoryEntry>

/** A person's 1 to 10 of an answer. */
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

/** Where a phase went, in the answer of `POST /notify`. */
export const phaseOutcome = z.object({
  written: z.boolean(),
  slug: z.string().optional(),
  reason: z.enum(['unknown_slug', 'no_active_session', 'state_unreadable']).optional(),
})
export type PhaseOutcome = z.infer<typeof phaseOutcome>

/**
 * One session in `work.json`. Everything is optional and unknown fields are kept: other programs
 * write this file too, and what they wrote must come out as it went in.
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
    /** Slugs that this entry had before; late phase writes still find it. */
    previousSlugs: z.array(z.string()).optional(),
  })
  .meta({ id: 'WorkEntry' })
export type WorkEntry = z.infer<typeof workEntry>

/**
 * `MEMORY/STATE/work.json`. An entry is a `WorkEntry` where we wrote it; one that another program
 * wrote in a form of its own is kept as it came and must not make the others unreadable.
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
    /** The later of the two activity signals, when there is one. */
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
