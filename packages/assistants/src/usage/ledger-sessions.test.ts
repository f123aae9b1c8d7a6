import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UsageOrigin } from '@steward/contract'
import { beforeEach, expect, it } from 'vitest'
import type { LedgerSession, SessionCursor } from './ledger-sessions.ts'
import { openUsageLedger, type UsageLedger } from './usage-ledger.ts'
import type { UsageCall } from './usage-reader.ts'

const AT_MS = Date.parse('2026-11-10T10:00:00Z')
const MINUTE_MS = 60_000
const START: SessionCursor = { context: 0, quarter: 0 }

let ledger: UsageLedger
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-ledger-'))
  ledger = openUsageLedger(join(folder, 'usage.sqlite'))
  return async () => {
    await ledger.close()
    rmSync(folder, { recursive: true })
  }
})

let count = 0
const add = (
  session: string,
  minute: number,
  more: Partial<UsageCall> & { by?: UsageOrigin } = {},
) => {
  const { by: assistant = 'claude', ...fields } = more
  count += 1
  const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
  const call = { id: `m${count}`, session, model: 'opus', atMs: AT_MS + minute * MINUTE_MS, tokens }
  const mark = { offset: 1, memory: {} }
  const titles = [{ session, title: `about ${session}` }]
  const batch = { calls: [{ ...call, ...fields }], totals: [], titles, mark }
  ledger.add([{ assistant, path: `f${count}`, stamp: '1', batch }])
}

/** All changes since then, and where the next look begins. */
const changesSince = (since: SessionCursor): { sessions: LedgerSession[]; next: SessionCursor } => {
  const sessions: LedgerSession[] = []
  for (let next = since; ; ) {
    const part = ledger.sessionChanges(next)
    sessions.push(...part.sessions)
    next = part.next
    if (part.isAll) return { sessions, next }
  }
}

it('describes a session by all its calls, with the folder and model of its main agent', () => {
  add('s1', 0, { project: '/work/shop' })
  add('s1', 90, { project: '/work/shop', model: 'haiku', subagent: 'a1' })
  expect(changesSince(START).sessions).toEqual([
    {
      host: 'claude',
      session: 's1',
      title: 'about s1',
      project: '/work/shop',
      model: 'opus',
      startedMs: AT_MS,
      lastMs: AT_MS + 90 * MINUTE_MS,
    },
  ])
})

it('describes sessions of assistants only', () => {
  add('s1', 0, { by: 'codex' })
  add('run', 0, { by: 'runs' })
  add('hosted', 0, { by: 'hosted' })
  expect(changesSince(START).sessions).toMatchObject([{ host: 'codex', session: 's1' }])
})

it('finds sessions that are older than those that were found before, and new calls of known ones', () => {
  add('s2', 600)
  const { next } = changesSince(START)
  add('s1', 0)
  add('s2', 700)
  const later = changesSince(next)
  expect(later.sessions).toMatchObject([
    { session: 's1', lastMs: AT_MS },
    { session: 's2', lastMs: AT_MS + 700 * MINUTE_MS },
  ])
  expect(changesSince(later.next).sessions.map(({ session }) => session)).toEqual(['s2'])
})

it('begins again if the ledger was made again', () => {
  add('s1', 0)
  const { next } = changesSince(START)
  expect(changesSince({ ...next, context: next.context + 7 }).sessions).toHaveLength(1)
})
