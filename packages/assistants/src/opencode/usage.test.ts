import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { createUsageHome, type UsageHome } from '../usage/testing/usage-home.ts'

let home: UsageHome
beforeEach(() => {
  home = createUsageHome()
})

describe('OpenCode', () => {
  const openDatabase = (folder = '.local/share') => {
    const path = join(home.homedir, folder, 'opencode/opencode.db')
    mkdirSync(dirname(path), { recursive: true })
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
        time_created INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
        time_updated INTEGER, data TEXT)`)
    return database
  }
  const data = (tokens: object, cost: number, more: object = {}) =>
    JSON.stringify({
      ...more,
      role: 'assistant',
      modelID: 'm',
      cost,
      tokens,
      time: { created: Date.parse('2026-11-10T10:00:00Z') },
    })

  it('reads its database while it is being written, with the cost that it reports', async () => {
    const database = openDatabase()
    database.exec(`INSERT INTO session VALUES ('s1', NULL, '/work/shop', 'Repair the till', 1),
        ('s2', 's1', '/work/shop', 'sub', 1);`)
    const insert = database.prepare('INSERT OR REPLACE INTO message VALUES (?, ?, 1, ?, ?)')
    const tokens = { total: 30, input: 6, output: 15, reasoning: 5, cache: { write: 0, read: 4 } }
    insert.run('m1', 's1', 1, data({ ...tokens, output: 0, reasoning: 0 }, 0))
    insert.run('m2', 's2', 1, data(tokens, 0.5))
    insert.run('u1', 's1', 1, JSON.stringify({ role: 'user' }))
    expect((await home.total())[1]).toBe(20)
    insert.run('m1', 's1', 2, data(tokens, 0.25))
    expect(await home.total()).toEqual([12, 40, 8, 0])
    expect(home.report().total).toMatchObject({ cost_usd: 0.75, reported_usd: 0.75, sessions: 1 })
    database.close()
  })

  it('counts a summary, the messages of a fork that are its own, and no message without an answer', async () => {
    const database = openDatabase()
    const early = Date.parse('2026-11-10T10:00:00Z')
    const late = Date.parse('2026-11-10T10:02:00Z')
    const addSession = database.prepare('INSERT INTO session VALUES (?, NULL, ?, ?, ?)')
    addSession.run('s1', '/work/shop', 'Repair the till', early - 1)
    addSession.run('s2', '/work/shop', 'Repair the till (fork #1)', late - 1)
    const insert = database.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
    const tokens = { total: 30, input: 6, output: 15, reasoning: 5, cache: { write: 0, read: 4 } }
    const none = { total: 0, input: 0, output: 0, reasoning: 0, cache: { write: 0, read: 0 } }
    insert.run('m1', 's1', early, 1, data(tokens, 0.25))
    insert.run('m2', 's1', early, 2, data(tokens, 0.25, { mode: 'compaction', summary: true }))
    // The fork copies the summary under a new id.
    insert.run('m3', 's2', early, 3, data(tokens, 0.25, { mode: 'compaction', summary: true }))
    insert.run('m4', 's2', late, 4, data(tokens, 0.25))
    insert.run('m5', 's2', late, 5, data(none, 0))
    database.close()
    expect(await home.total()).toEqual([18, 60, 12, 0])
    expect(
      home.report({ by: 'session' }).rows.map(({ key, calls, cost_usd }) => [key, calls, cost_usd]),
    ).toEqual([
      ['s1', 2, 0.5],
      ['s2', 1, 0.25],
    ])
  })

  it('is found in another folder', async () => {
    const database = openDatabase('other')
    const tokens = { total: 30, input: 6, output: 15, reasoning: 5, cache: { write: 0, read: 4 } }
    database.prepare('INSERT INTO message VALUES (?, ?, 1, 1, ?)').run('m1', 's1', data(tokens, 1))
    database.close()
    await home.update({ XDG_DATA_HOME: join(home.homedir, 'other') })
    expect(home.report().total.calls).toBe(1)
  })
})
