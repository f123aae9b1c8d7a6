import { StewardError, type WorkItem } from '@steward/contract'
import { execute, query, type Tx } from '../database/tx.ts'
import {
  getWork,
  type StoredWork,
  toStoredWork,
  toWorkItem,
  WORK_COLUMNS,
  type WorkPlace,
  writeWork,
} from './stored-work.ts'

/** A stopped worker still reports its end, so its token stays valid a little longer. */
const LAST_WORDS_MS = 60_000

/** Asks the worker to stop, or ends the work at once: with force, or if no worker has started. */
export function* stopWork(place: WorkPlace, force: boolean, nowMs: number): Tx<WorkItem> {
  const work = yield* getWork(place, 'hold')
  if (work.state === 'stopped' || (work.state === 'stopping' && !force))
    throw new StewardError('work_conflict', {
      work: work.id,
      state: work.state,
      reason: 'it was already asked to stop',
    })
  const ends = force || work.state === 'queued'
  const stopped = ends ? yield* endWork(work, nowMs) : yield* askToStop(work, nowMs)
  return toWorkItem(stopped)
}

/** The session has ended, so its work ends too. */
export function* stopWorkOf(sessionId: string, nowMs: number): Tx<void> {
  const rows = yield* query(
    `SELECT ${WORK_COLUMNS} FROM work WHERE session_id = $1 AND state <> 'stopped' FOR UPDATE`,
    sessionId,
  )
  for (const row of rows) yield* endWork(toStoredWork(row), nowMs)
}

function* askToStop(work: StoredWork, nowMs: number): Tx<StoredWork> {
  const stopping: StoredWork = {
    ...work,
    state: 'stopping',
    body: { ...work.body, stopRequestedMs: nowMs },
  }
  yield* writeWork(stopping)
  return stopping
}

function* endWork(work: StoredWork, nowMs: number): Tx<StoredWork> {
  const stopped: StoredWork = {
    ...work,
    state: 'stopped',
    leaseUntilMs: null,
    body: {
      ...work.body,
      stopRequestedMs: work.body.stopRequestedMs ?? nowMs,
      stoppedMs: nowMs,
    },
  }
  yield* writeWork(stopped)
  yield* execute(
    'UPDATE keys SET expires_ms = $2 WHERE work_id = $1 AND expires_ms > $2',
    work.id,
    nowMs + LAST_WORDS_MS,
  )
  return stopped
}
