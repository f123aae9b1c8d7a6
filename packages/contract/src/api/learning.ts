import { z } from 'zod'
import { recurringFailure } from '../failure-group.ts'
import { runRecord } from '../run.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'

/** One line of `MEMORY/LEARNING/SIGNALS/ratings.jsonl`. */
export const ratingRow = z.looseObject({
  timestamp: z.string(),
  rating: z.number().min(1).max(10),
  session_id: z.string(),
  comment: z.string().optional(),
  source: z.enum(['implicit', 'explicit']).optional(),
  sentiment_summary: z.string().optional(),
  confidence: z.number().min(0).max(1).optional(),
})
export type RatingRow = z.infer<typeof ratingRow>

/** One line of `MEMORY/LEARNING/SIGNALS/signals.jsonl`. */
export const learningSignal = z.looseObject({
  timestamp: z.string(),
  session_id: z.string(),
  kind: z.string(),
  summary: z.string(),
})
export type LearningSignal = z.infer<typeof learningSignal>

/** The same failure, however often it happened. */
export const failurePattern = z.object({
  tool: z.string(),
  /** The error text without its variable parts (paths, numbers, ids). */
  pattern: z.string(),
  count: z.int().positive(),
  sessions: z.int().nonnegative(),
  firstAt: z.string(),
  lastAt: z.string(),
  example: z.string(),
})
export type FailurePattern = z.infer<typeof failurePattern>

/** A run of an action, pipeline or flow, as the learning page shows it. */
export const noveltyRun = runRecord.pick({
  id: true,
  primitive: true,
  name: true,
  status: true,
  startedAt: true,
  endedAt: true,
  durationMs: true,
  error: true,
})
export type NoveltyRun = z.infer<typeof noveltyRun>

export const LADDER_STAGES = {
  sources: { folder: 'Sources', prefix: 'SR' },
  ideas: { folder: 'Ideas', prefix: 'ID' },
  hypotheses: { folder: 'Hypotheses', prefix: 'HY' },
  experiments: { folder: 'Experiments', prefix: 'EX' },
  algorithms: { folder: 'Algorithms', prefix: 'AL' },
  results: { folder: 'Results', prefix: 'RE' },
} as const
export type LadderStage = keyof typeof LADDER_STAGES

export const ladderItem = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  created: z.string(),
  /** The item that this one was derived from. */
  from: z.string().optional(),
  /** The beginning of its text, without the heading; absent if there is none. */
  text: z.string().optional(),
})
export type LadderItem = z.infer<typeof ladderItem>
const ladderItems = z.array(ladderItem)

/** A file in a stage's folder that cannot be parsed; `file` is relative to the ladder. */
const ladderProblem = z.object({ file: z.string(), reason: z.string() })

export const learningRoutes = {
  getNovelty: defineRoute({
    method: 'GET',
    path: '/api/novelty',
    summary: 'Learning signals, ratings, failure patterns and the last runs.',
    access: 'local',
    why: READ,
    answer: z.object({
      /** Newest first. */
      runs: z.array(noveltyRun),
      ratings: z.array(ratingRow),
      signals: z.array(learningSignal),
      failurePatterns: z.array(failurePattern),
    }),
  }),
  listRecurringFailures: defineRoute({
    method: 'GET',
    path: '/api/failures/recurring',
    summary:
      'Failures of runs, deliveries, notifications and tools that happened more than once, by cause, the most frequent first.',
    access: 'local',
    why: READ,
    query: z.object({
      /** The last UTC days, including today. */
      days: z.coerce.number().int().min(1).max(30).default(14),
    }),
    answer: z.object({
      /** The first UTC day of the period, `2026-03-01`. */
      from: z.string(),
      failures: z.array(recurringFailure),
    }),
  }),
  getLadder: defineRoute({
    method: 'GET',
    path: '/api/ladder',
    summary: 'The improvement ladder: six stages of Markdown files.',
    access: 'local',
    why: READ,
    answer: z.object({
      available: z.boolean(),
      sources: ladderItems,
      ideas: ladderItems,
      hypotheses: ladderItems,
      experiments: ladderItems,
      algorithms: ladderItems,
      results: ladderItems,
      problems: z.array(ladderProblem),
    }),
  }),
}
