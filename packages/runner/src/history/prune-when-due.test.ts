import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pruneWhenDue } from './prune-when-due.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-prune-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('prunes at the first close of a day, and not at the next', async () => {
  const policy = { maxRuns: 1, maxAgeDays: 1, maxBytes: 1 }
  const asked: number[] = []
  const history = {
    prune: async (_: unknown, nowMs: number) => {
      asked.push(nowMs)
      return { runs: 0, payloadFiles: 0, bytes: 0 }
    },
  }
  const now = Date.now()
  const close = (at: number) => pruneWhenDue(history, policy, join(folder, 'pruned'), at)
  await close(now)
  await close(now + 1000)
  await close(now + 2 * 86_400_000)
  expect(asked).toEqual([now, now + 2 * 86_400_000])
})
