import { isJsonObject, LIMITS } from '@steward/contract'
import { type Connection, openDatabase } from '@steward/platform'
import { z } from 'zod'

import {
  type EndedLine,
  type LineEnd,
  type Manner,
  PRIORITY,
  type Priority,
  type SpeechLine,
} from '../speech-line.ts'

interface Added {
  /** The waiting line: the new one, or the one it was merged into. */
  id: string
  merged: boolean
  /** Lines dropped to make room, possibly including the new one. */
  dropped: EndedLine[]
  depth: number
}

/**
 * Lines on disk: waiting, speaking, ended, and removed once their end is logged. Every promise
 * resolves after the change is on disk.
 */
export interface SpeechStore {
  add: (line: SpeechLine) => Promise<Added>
  /** The next line, without removing it. */
  peek: () => SpeechLine | undefined
  waiting: () => SpeechLine[]
  depth: () => number
  /** Marks the line as heard. False if it is no longer waiting. */
  begin: (id: string) => Promise<boolean>
  /** Ends waiting or speaking lines; returns those it ended. */
  end: (ids: readonly string[], end: LineEnd, atMs: number) => Promise<EndedLine[]>
  /** Lines that were being spoken when the process died. */
  interrupted: () => SpeechLine[]
  /** Ended lines whose end is not logged yet. */
  unreported: () => EndedLine[]
  /** Removes lines whose end is logged. */
  forget: (ids: readonly string[]) => Promise<void>
  /** A mute lasts as long as it was meant to, also when the clock is set back meanwhile. */
  mutedUntilMs: (nowMs: number) => number
  setMutedUntilMs: (untilMs: number, sinceMs: number) => Promise<void>
  close: () => Promise<void>
}

export const openSpeechStore = (
  path: string,
  { capacity = LIMITS.speechQueue }: { capacity?: number } = {},
): SpeechStore => {
  const database = openDatabase(path, { migrations: SPEECH_MIGRATIONS })
  // Cached because every line needs it and no other process writes it.
  let mute = database.read(({ statement }) => {
    const row = statement('SELECT since, until FROM mute').get()
    return { sinceMs: Number(row?.since ?? 0), untilMs: Number(row?.until ?? 0) }
  })
  const linesIn = (connection: Connection, state: string, limit = -1): SpeechLine[] =>
    connection
      .statement(`SELECT * FROM lines WHERE state = ? ORDER BY priority, seq LIMIT ?`)
      .all(state, limit)
      .map(toLine)
  const depthIn = (connection: Connection): number =>
    Number(connection.statement(`SELECT count(*) AS n FROM lines WHERE state = 'waiting'`).get()?.n)
  const endIn = (
    connection: Connection,
    id: string,
    end: LineEnd,
    endedAtMs: number,
  ): EndedLine[] => {
    const row = connection
      .statement(
        `UPDATE lines SET state = 'ended', ended = ?, ended_at = ?
         WHERE id = ? AND state <> 'ended' RETURNING *`,
      )
      .get(JSON.stringify(end), endedAtMs, id)
    return row === undefined ? [] : [{ line: toLine(row), end, endedAtMs }]
  }

  const merge = (connection: Connection, line: SpeechLine): string | undefined => {
    const twin = connection
      .statement(`SELECT id FROM lines WHERE state = 'waiting' AND same = ?`)
      .get(sameKeyOf(line))
    if (twin === undefined) return undefined
    const id = String(twin.id)
    connection
      .statement(
        `UPDATE lines SET fresh_at = max(fresh_at, ?), priority = min(priority, ?) WHERE id = ?`,
      )
      .run(line.freshAtMs, line.priority, id)
    return id
  }
  /** The lowest priority is dropped first, oldest first. */
  const makeRoom = (connection: Connection, atMs: number): EndedLine[] => {
    const excess = depthIn(connection) - capacity
    if (excess <= 0) return []
    return connection
      .statement(`SELECT id FROM lines WHERE state = 'waiting' ORDER BY priority DESC, seq LIMIT ?`)
      .all(excess)
      .flatMap(({ id }) =>
        endIn(connection, String(id), { outcome: 'skipped', reason: 'queue_full' }, atMs),
      )
  }

  return {
    add: (line) =>
      database.write((connection) => {
        const twin = merge(connection, line)
        if (twin !== undefined) {
          return { id: twin, merged: true, dropped: [], depth: depthIn(connection) }
        }
        connection
          .statement(
            `INSERT INTO lines (id, state, priority, same, text, manner, at, fresh_at)
             VALUES (?, 'waiting', ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            line.id,
            line.priority,
            sameKeyOf(line),
            line.text,
            JSON.stringify(line.manner),
            line.atMs,
            line.freshAtMs,
          )
        const dropped = makeRoom(connection, line.freshAtMs)
        return { id: line.id, merged: false, dropped, depth: depthIn(connection) }
      }),
    peek: () => database.read((connection) => linesIn(connection, 'waiting', 1)[0]),
    waiting: () => database.read((connection) => linesIn(connection, 'waiting')),
    depth: () => database.read(depthIn),
    begin: (id) =>
      database.write(
        ({ statement }) =>
          statement(`UPDATE lines SET state = 'speaking' WHERE id = ? AND state = 'waiting'`).run(
            id,
          ).changes === 1,
      ),
    end: (ids, end, atMs) =>
      database.write((connection) => ids.flatMap((id) => endIn(connection, id, end, atMs))),
    interrupted: () => database.read((connection) => linesIn(connection, 'speaking')),
    unreported: () =>
      database.read(({ statement }) =>
        statement(`SELECT * FROM lines WHERE state = 'ended' ORDER BY ended_at, seq`)
          .all()
          .map((row) => ({
            line: toLine(row),
            end: lineEnd.parse(JSON.parse(String(row.ended))),
            endedAtMs: Number(row.ended_at),
          })),
      ),
    forget: (ids) =>
      database.write(({ statement }) => {
        for (const id of ids)
          statement(`DELETE FROM lines WHERE id = ? AND state = 'ended'`).run(id)
      }),
    mutedUntilMs: (nowMs) => {
      const aheadMs = mute.sinceMs - nowMs
      if (aheadMs > 0) mute = { sinceMs: nowMs, untilMs: mute.untilMs - aheadMs }
      return mute.untilMs
    },
    setMutedUntilMs: async (untilMs, sinceMs) => {
      await database.write(({ statement }) =>
        statement(
          `INSERT INTO mute (id, since, until) VALUES (1, ?, ?)
           ON CONFLICT (id) DO UPDATE SET since = excluded.since, until = excluded.until`,
        ).run(sinceMs, untilMs),
      )
      mute = { sinceMs, untilMs }
    },
    close: () => database.close(),
  }
}

/** Lines with the same text and voice are duplicates. */
const sameKeyOf = ({ text, manner }: SpeechLine): string =>
  JSON.stringify([text, manner.voice_id || manner.voice_name || null, manner.agent ?? null])

const priority = z.union([
  z.literal(PRIORITY.security),
  z.literal(PRIORITY.error),
  z.literal(PRIORITY.normal),
])
const manner = z.custom<Manner>(isJsonObject)
const lineEnd = z.custom<LineEnd>(
  (value) => isJsonObject(value) && typeof value.outcome === 'string',
)

const toLine = (row: Record<string, unknown>): SpeechLine => ({
  id: String(row.id),
  text: String(row.text),
  manner: manner.parse(JSON.parse(String(row.manner))),
  priority: priority.parse(row.priority) satisfies Priority,
  atMs: Number(row.at),
  freshAtMs: Number(row.fresh_at),
})

/** The speech queue's migrations; append only. */
export const SPEECH_MIGRATIONS = [
  `CREATE TABLE lines (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     state TEXT NOT NULL CHECK (state IN ('waiting', 'speaking', 'ended')),
     priority INTEGER NOT NULL,
     same TEXT NOT NULL,
     text TEXT NOT NULL,
     manner TEXT NOT NULL,
     at INTEGER NOT NULL,
     fresh_at INTEGER NOT NULL,
     ended TEXT,
     ended_at INTEGER
   ) STRICT;
   CREATE INDEX lines_in_order ON lines (state, priority, seq);
   CREATE INDEX lines_by_content ON lines (same) WHERE state = 'waiting';
   CREATE TABLE mute (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL) STRICT`,
  'ALTER TABLE mute ADD COLUMN since INTEGER NOT NULL DEFAULT 0;',
]
