import type { SessionChanges, SessionCursor } from '@steward/assistants'
import type { Connection, Database } from '@steward/platform'
import { noteFacets } from './sum-index.ts'

/** The source of a session that only the assistant's own records know. */
export const RECORDED = 'records'

/** A session that the logs know too keeps its state and its name. */
const STORE = `
  INSERT INTO sessions (id, started_ms, last_ms, host, project, name, model, status, start_source)
  VALUES (?, ?, ?, ?, ?, ?, ?, 'idle', '${RECORDED}')
  ON CONFLICT (id) DO UPDATE SET
    started_ms = min(started_ms, excluded.started_ms),
    last_ms = max(last_ms, excluded.last_ms),
    host = CASE host WHEN '' THEN excluded.host ELSE host END,
    project = coalesce(project, excluded.project),
    name = CASE name WHEN '' THEN excluded.name ELSE name END,
    model = coalesce(model, excluded.model)`

export const readCursor = ({ statement }: Connection): SessionCursor => {
  const row = statement('SELECT context, quarter FROM recorded').get()
  return { context: Number(row?.context), quarter: Number(row?.quarter) }
}

/** Adds sessions of the assistants' own records, and how far these were read. */
export const addRecorded = (
  database: Database,
  { sessions, next }: Omit<SessionChanges, 'isAll'>,
): void => {
  const store = database.statement(STORE)
  for (const { session, startedMs, lastMs, host, project, title, model } of sessions) {
    store.run(session, startedMs, lastMs, host, project, title ?? '', model)
    noteFacets(database, { host, project, lastMs })
  }
  database.statement('UPDATE recorded SET context = ?, quarter = ?').run(next.context, next.quarter)
}
