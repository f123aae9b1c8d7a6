import { FEED_ERROR_CLASSES, FEED_TIERS, LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createFeedRecord,
  isBreakerOpen,
  judgeFeed,
  recordFailure,
  recordSuccess,
  resetFeed,
} from './feed-record.ts'

const failures = fc
  .array(fc.constantFrom(...FEED_ERROR_CLASSES), {
    minLength: LIMITS.feedErrorBreaker - 5,
    maxLength: LIMITS.feedErrorBreaker + 5,
    size: 'max',
  })
  .map((classes) => classes.map((name) => ({ class: name })))
const relief = fc.option(fc.record({ tier: fc.constantFrom(...FEED_TIERS) }), {
  nil: 'reset' as const,
})

/** Failures up to around the limit, then a success or a reset, repeatedly. */
const steps = fc
  .array(fc.tuple(failures, relief), { minLength: 1, maxLength: 4 })
  .map((rounds) => rounds.flatMap(([failed, then]) => [...failed, then]))

it('counts consecutive failures, opens at exactly the limit, and closes on any success or reset', () => {
  fc.assert(
    fc.property(steps, (given) => {
      let record = createFeedRecord('https://example.test/feed')
      let inARow = 0
      let nowMs = 0
      for (const each of given) {
        const isOpen = inARow >= LIMITS.feedErrorBreaker
        expect(isBreakerOpen(record)).toBe(isOpen)
        expect(judgeFeed(record, nowMs)).toBe(isOpen ? 'open' : 'due')
        const times = { nowMs, nextCheckMs: nowMs + 1 }
        if (each === 'reset') {
          record = resetFeed(record)
          inARow = 0
        } else if ('class' in each) {
          record = recordFailure(record, { ...times, class: each.class, message: 'no' })
          inARow++
          expect(record.last_class).toBe(each.class)
        } else {
          const { tier } = each
          const rest = { title: null, validators: null, permanentUrl: null, itemIds: [] }
          record = recordSuccess(record, { ...times, ...rest, tier })
          inARow = 0
          expect(record).toMatchObject({ last_error: null, last_class: null, last_tier: tier })
        }
        expect(record.error_count).toBe(inARow)
        nowMs++
      }
    }),
    { numRuns: 40 },
  )
})

it('is due at its time, and never before', () => {
  const record = { ...createFeedRecord('x'), next_check_at: '2026-01-01T00:00:10.000Z' }
  const at = (time: string) => judgeFeed(record, Date.parse(time))
  expect(at('2026-01-01T00:00:09.999Z')).toBe('waiting')
  expect(at('2026-01-01T00:00:10.000Z')).toBe('due')
  expect(judgeFeed(createFeedRecord('x'), 0)).toBe('due')
})

it('is due at once if its time is further ahead than a day, because the clock was set back', () => {
  const record = { ...createFeedRecord('x'), next_check_at: '2026-01-02T00:00:00.000Z' }
  const at = (time: string) => judgeFeed(record, Date.parse(time))
  expect(at('2026-01-01T00:00:00.000Z')).toBe('waiting')
  expect(at('2025-12-31T23:59:59.999Z')).toBe('due')
})
