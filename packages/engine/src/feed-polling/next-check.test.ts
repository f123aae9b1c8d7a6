import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nextCheckMs, nextRetryMs } from './next-check.ts'
import { readHints } from './read-hints.ts'

const MINUTE = 60_000
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

it('stays within 5 minutes and a day, and never before any requested time', () => {
  const hints = fc.record({
    ttlMinutes: maybe(fc.nat(1_000_000)),
    maxAgeSeconds: maybe(fc.nat(999_999_999)),
    expiresMs: maybe(fc.integer({ min: -1e12, max: 4e12 })),
  })
  const interval = fc.option(fc.integer({ min: 5, max: 1440 }), { nil: undefined })
  const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(
    fc.property(hints, interval, share, fc.nat(2e12), (given, intervalMinutes, random, nowMs) => {
      const next = nextCheckMs({ nowMs, intervalMinutes, hints: given, random: () => random })
      // A poll may start half a minute early.
      const minutes = (next + 30_000 - nowMs) / MINUTE
      expect(minutes).toBeGreaterThanOrEqual(5)
      expect(minutes).toBeLessThanOrEqual(1440)
      expect(minutes).toBeGreaterThanOrEqual(intervalMinutes ?? 5)
      expect(minutes).toBeGreaterThanOrEqual(Math.min(1440, given.ttlMinutes ?? 5))
    }),
  )
})

it('adds jitter of up to a tenth, but keeps the shortest interval exact', () => {
  const at = (intervalMinutes: number, random: number) =>
    nextCheckMs({
      nowMs: 0,
      intervalMinutes,
      hints: { ttlMinutes: null, maxAgeSeconds: null, expiresMs: null },
      random: () => random,
    }) + 30_000
  expect([at(60, 0), at(60, 0.5)]).toEqual([60 * MINUTE, 63 * MINUTE])
  expect(at(5, 0.9)).toBe(5 * MINUTE)
})

it('waits as long as a server asks, within bounds', () => {
  const wait = (ms: number | null) =>
    nextRetryMs({ nowMs: 0, intervalMinutes: undefined, random: () => 0 }, ms) / MINUTE
  expect([wait(1), wait(90 * MINUTE), wait(1e12), wait(null)]).toEqual([5, 90, 1440, 59.5])
})

it('parses real headers', () => {
  const hints = (headers: Record<string, string>, body: string | null = null) =>
    readHints(new Headers(headers), body === null ? null : new TextEncoder().encode(body))
  expect(hints({ 'cache-control': 'private, max-age="60"' }).maxAgeSeconds).toBe(60)
  expect(hints({ 'cache-control': 's-maxage=9' }).maxAgeSeconds).toBeNull()
  expect(hints({ 'cache-control': 'no-cache, max-age=60' }).maxAgeSeconds).toBeNull()
  expect(hints({ expires: '0' }).expiresMs).toBeNull()
  expect(hints({}, '<rss><channel><ttl> 30 </ttl><item>').ttlMinutes).toBe(30)
  expect(hints({}, '<rss><channel><item><ttl>30</ttl></item>').ttlMinutes).toBeNull()
})
