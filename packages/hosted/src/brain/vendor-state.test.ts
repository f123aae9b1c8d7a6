import { expect, test } from 'vitest'
import { describeEngines } from '../database/testing/engines.ts'
import { query } from '../database/tx.ts'
import { accountOf } from './models/account-of.ts'
import { ModelFailure } from './models/model-failure.ts'
import { createVendorState } from './vendor-state.ts'

const HOUR_MS = 3_600_000
const limited = (retryAfterMs: number) =>
  new ModelFailure('rate_limited', 'slow down', { retryAfterMs })

describeEngines('a rate limit', ({ create, share }) => {
  test('holds for every process that shares the store, per account and model', async () => {
    const store = await create()
    const another = await share()
    let nowMs = 1_000_000
    const now = () => nowMs
    const account = accountOf('anthropic', 'https://a.example', 'key-1')
    const stateOf = (database: typeof store, named = account) =>
      createVendorState({ database, model: { account: named }, now }, () => undefined)
    const first = stateOf(store)
    const second = stateOf(another)
    expect(await second.closedUntilMs('large')).toBeNull()

    await first.noteFailure('large', limited(30_000))
    expect(await second.closedUntilMs('large')).toBe(1_030_000)
    expect(await second.closedUntilMs('small')).toBeNull()
    const otherKey = accountOf('anthropic', 'https://a.example', 'key-2')
    expect(await stateOf(another, otherKey).closedUntilMs('large')).toBeNull()

    await second.noteFailure('large', limited(5000))
    expect(await first.closedUntilMs('large')).toBe(1_030_000)
    await second.noteFailure('large', limited(60_000))
    expect(await first.closedUntilMs('large')).toBe(1_060_000)
    nowMs = 1_060_000
    expect(await first.closedUntilMs('large')).toBeNull()

    const rows = await another.read(() => query('SELECT * FROM model_waits'))
    expect(JSON.stringify(rows)).not.toContain('key-1')
  })

  test('lasts at most an hour, also after the clock was set back', async () => {
    const store = await create()
    const another = await share()
    let nowMs = 900 * HOUR_MS
    const stateOf = (database: typeof store) =>
      createVendorState({ database, model: { account: 'a' }, now: () => nowMs }, () => undefined)
    const first = stateOf(store)
    const second = stateOf(another)
    await first.noteFailure('large', limited(7 * 24 * HOUR_MS))
    expect(await second.closedUntilMs('large')).toBe(901 * HOUR_MS)
    nowMs = 800 * HOUR_MS
    expect(await second.closedUntilMs('large')).toBeNull()
    await first.noteFailure('large', limited(1000))
    expect(await second.closedUntilMs('large')).toBe(800 * HOUR_MS + 1000)
  })
})
