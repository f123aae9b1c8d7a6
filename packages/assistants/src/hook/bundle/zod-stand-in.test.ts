import {
  criterion,
  modeHistoryEntry,
  phaseHistoryEntry,
  sessionAgent,
  sessionRating,
} from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from './zod-stand-in.ts'

const epochMs = z.number().nonnegative()
/** The shapes of `contract/work-state.ts`, declared with the stand-in. */
const PAIRS = [
  [
    phaseHistoryEntry,
    z.looseObject({
      phase: z.string(),
      startedAt: epochMs,
      completedAt: epochMs.optional(),
      criteriaCount: z.int().nonnegative().optional(),
      agentCount: z.int().nonnegative().optional(),
      source: z.string().optional(),
    }),
  ],
  [
    criterion,
    z.looseObject({
      id: z.string(),
      description: z.string(),
      type: z.enum(['criterion', 'anti-criterion']),
      status: z.enum(['pending', 'completed']),
      createdInPhase: z.string().optional(),
    }),
  ],
  [
    modeHistoryEntry,
    z.looseObject({ mode: z.string(), startedAt: epochMs, endedAt: epochMs.optional() }),
  ],
  [
    sessionRating,
    z.looseObject({
      value: z.number().min(1).max(10),
      timestamp: epochMs,
      message: z.string().optional(),
    }),
  ],
  [
    sessionAgent,
    z.looseObject({
      name: z.string(),
      agentType: z.string(),
      status: z.string(),
      task: z.string().optional(),
      phase: z.string().optional(),
    }),
  ],
] as const

const KEYS = [
  'phase',
  'startedAt',
  'completedAt',
  'criteriaCount',
  'agentCount',
  'source',
  'id',
  'description',
  'type',
  'status',
  'createdInPhase',
  'mode',
  'endedAt',
  'value',
  'timestamp',
  'message',
  'name',
  'agentType',
  'task',
]
const field = fc.oneof(
  fc.constantFrom(
    'criterion',
    'pending',
    'completed',
    'x',
    '',
    1,
    0,
    -1,
    10,
    11,
    1.5,
    null,
    undefined,
  ),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60),
  fc.anything({ maxDepth: 1 }),
)

describe('the stand-in for zod', () => {
  it('judges the shapes of the work state as zod does', () => {
    const good = fc.constantFrom(
      { phase: 'BUILD', startedAt: 1, source: 'isa' },
      { id: 'ISC-1', description: 'x', type: 'criterion', status: 'pending' },
      { mode: 'native', startedAt: 1 },
      { value: 8, timestamp: 1 },
      { name: 'a', agentType: 'b', status: 'running' },
    )
    const changed = fc
      .tuple(good, fc.dictionary(fc.constantFrom(...KEYS), field, { maxKeys: 2 }))
      .map(([entry, changes]) => ({ ...entry, ...changes }))
    const value = fc.oneof(
      good,
      changed,
      fc.dictionary(fc.constantFrom(...KEYS), field),
      fc.anything(),
    )
    fc.assert(
      fc.property(value, (given) => {
        for (const [real, ours] of PAIRS) {
          expect(ours.safeParse(given).success).toBe(real.safeParse(given).success)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('throws when a shape is used that it does not know', () => {
    const shape = z.discriminatedUnion
    expect(() => Reflect.get(Object(shape), 'safeParse')).toThrow('knows no such shape')
  })
})
