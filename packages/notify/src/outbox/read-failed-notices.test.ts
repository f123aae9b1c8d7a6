import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import { openOutbox } from './outbox.ts'
import { readFailedNotices } from './read-failed-notices.ts'
import { deliveryOf } from './testing/deliveries.ts'

it('counts notices that did not arrive, by channel and error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-failed-notices-'))
  let nowMs = 1000
  const outbox = openOutbox({
    path: join(folder, 'outbox.sqlite'),
    now: () => nowMs,
    random: () => 1,
  })
  const fail = (reason: string) => {
    nowMs += 1000
    const error = new StewardError('upstream_failed', { service: 'push', reason })
    outbox.record(deliveryOf({}), { state: 'failed', error })
  }
  fail('HTTP 403')
  fail('HTTP 403')
  fail('HTTP 404')
  outbox.record(deliveryOf({}), { state: 'delivered', detail: 'HTTP 200' })
  const found = readFailedNotices(folder, 0)
  expect(found).toMatchObject([
    { kind: 'notification', name: 'push', code: null, timesMs: [3000, 2000] },
    { name: 'push', timesMs: [4000] },
  ])
  expect(found[0]?.cause).toContain('HTTP 403')
  expect(readFailedNotices(folder, 4000)).toHaveLength(1)
  expect(readFailedNotices(join(folder, 'nowhere'), 0)).toEqual([])
  await outbox.close()
  rmSync(folder, { recursive: true })
})
