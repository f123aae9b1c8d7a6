import { expect, it } from 'vitest'
import { PLATFORM_PORTS } from '../platform.ts'
import { createInvocation } from './invocation.ts'
import { createRunGuard } from './run-guard.ts'

const MINUTE_MS = 60_000
const NOON = Date.parse('2026-11-16T12:00:00Z')

const guardAt = (startMs: number) => {
  let nowMs = startMs
  const guard = createRunGuard('F_TEST')
  const invocation = createInvocation({}, { ...PLATFORM_PORTS, now: () => nowMs })
  return {
    hold: (work: Promise<void>) => guard.hold(invocation, work),
    isBlockedAt: (atMs: number) => {
      nowMs = atMs
      try {
        guard.check(invocation)
        return false
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'run_active' })
        return true
      }
    },
  }
}

it('allows one run at a time until it ends or its invocation must be dead', async () => {
  const run = Promise.withResolvers<void>()
  const guard = guardAt(NOON)
  expect(guard.isBlockedAt(NOON)).toBe(false)
  const held = guard.hold(run.promise)
  expect(guard.isBlockedAt(NOON)).toBe(true)
  expect(guard.isBlockedAt(NOON + 14 * MINUTE_MS)).toBe(true)
  expect(guard.isBlockedAt(NOON + 16 * MINUTE_MS)).toBe(false)
  run.resolve()
  await held
  expect(guard.isBlockedAt(NOON)).toBe(false)
})

it('is not blocked by a run that seems to start in the future, after the clock was set back', () => {
  const guard = guardAt(NOON)
  void guard.hold(new Promise(() => undefined))
  expect(guard.isBlockedAt(NOON - 24 * 60 * MINUTE_MS)).toBe(false)
})
