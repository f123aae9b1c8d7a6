import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendEvents } from '../log/append-events.ts'
import { EMPTY_SUMMARY } from '../log/summary.ts'
import type { HostedDatabase } from './hosted-database.ts'
import { openSqlite } from './open-sqlite.ts'
import { announce, execute } from './tx.ts'

const change = {
  create: (id: string) =>
    function* () {
      yield* execute(
        `INSERT INTO sessions (id, agent_id, agent_version, environment_id, body, summary, status,
           created_ms, updated_ms) VALUES ($1, 'a', 1, 'e', '{}', $2, 'idle', 1, 1)`,
        id,
        JSON.stringify(EMPTY_SUMMARY),
      )
    },
  append: (id: string) => () => appendEvents(id, [{ type: 'a' }], { nowMs: 1 }),
  archive: (id: string, nowMs: number) =>
    function* () {
      yield* execute('UPDATE sessions SET archived_ms = $2 WHERE id = $1', id, nowMs)
      yield* announce({ sessionId: id, news: { type: 'archived' } })
    },
  delete: (id: string) =>
    function* () {
      yield* execute('DELETE FROM sessions WHERE id = $1', id)
      yield* announce({ sessionId: id, news: { type: 'deleted' } })
    },
}

/** Includes equal timestamps, in another order than they are written. */
const ARCHIVED_MS = [2, 3, 3, 1, 2]

/**
 * Each step: the process, the action and the session. Impossible steps, such as creating an
 * existing session, are skipped.
 */
const step = fc.record({
  by: fc.constantFrom('own', 'other'),
  what: fc.constantFrom('create', 'append', 'append', 'archive', 'delete', 'look'),
  which: fc.integer({ min: 0, max: 4 }),
})

test('detects every change after a look, for any order of steps and processes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'steward-heads-'))
      let look = (): void => undefined
      const path = join(folder, 'hosted.sqlite')
      const own = openSqlite({
        path,
        repeat: (given) => {
          look = given
          return () => undefined
        },
      })
      const other = openSqlite({ path, repeat: () => () => undefined })
      const known = new Map<string, number>()
      const archived: string[] = []
      own.hear(({ sessionId, news }) => {
        if (news.type === 'appended') known.set(sessionId, news.seq)
        if (news.type === 'archived') archived.push(sessionId)
        if (news.type === 'deleted') known.delete(sessionId)
      })
      const truth = new Map<string, number>()
      const ended = new Set<string>()
      const stores: Record<string, HostedDatabase> = { own, other }
      const ids: string[] = Array.from({ length: 5 }, () => crypto.randomUUID())
      try {
        for (const { by, what, which } of steps) {
          const id = ids[which] ?? ''
          const seq = truth.get(id)
          if (what === 'look') look()
          else if (what === 'create' ? seq !== undefined : seq === undefined) continue
          else if (what === 'archive' && ended.has(id)) continue
          else await stores[by]?.write<unknown>(change[what](id, ARCHIVED_MS[which] ?? 0))
          if (what === 'create') truth.set(id, 0)
          if (what === 'append') truth.set(id, (seq ?? 0) + 1)
          if (what === 'archive') ended.add(id)
          if (what === 'delete') {
            if (!archived.includes(id)) ended.delete(id)
            truth.delete(id)
            ids[which] = crypto.randomUUID()
          }
        }
        look()
        expect(archived.toSorted()).toEqual([...ended].toSorted())
        expect(known).toEqual(new Map([...truth].filter(([, seq]) => seq > 0)))
      } finally {
        await Promise.all([own.close(), other.close()])
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: 60 },
  )
})
