import type { Connection, Database } from '@steward/platform'
import type { PayloadFiles } from './payload-files.ts'
import { removeStrayFiles, removeUnusedFiles } from './prune-payload-files.ts'

export interface RetentionPolicy {
  maxRuns: number
  maxAgeDays: number
  /** The total of the database and the payload files. */
  maxBytes: number
}

export interface Pruned {
  runs: number
  payloadFiles: number
  /** By how much the history shrank. */
  bytes: number
}

/** One transaction removes at most this many runs, so that others never wait long. */
const CHUNK_RUNS = 200
/** Fewer at a time if only the size is exceeded, to remove no more than necessary. */
const CHUNK_FOR_BYTES = 20
const CHUNK_PAGES = 2000
const DAY_MS = 86_400_000

/** Finished top-level runs without unfinished children. */
const CANDIDATES = `SELECT id, started_at FROM runs AS top
  WHERE parent_id IS NULL AND status <> 'running' AND NOT EXISTS (
    WITH RECURSIVE tree (id) AS (
      SELECT top.id UNION ALL SELECT runs.id FROM runs JOIN tree ON runs.parent_id = tree.id
    ) SELECT 1 FROM runs JOIN tree USING (id) WHERE status = 'running')
  ORDER BY id LIMIT ?`

/** Deepest first, so that the top remains if the chunk is full before the whole tree is removed. */
const REMOVE_TREE = `DELETE FROM runs WHERE id IN (
  WITH RECURSIVE tree (id, depth) AS (
    SELECT ?, 0 UNION ALL
    SELECT runs.id, depth + 1 FROM runs JOIN tree ON runs.parent_id = tree.id
  ) SELECT id FROM tree ORDER BY depth DESC LIMIT ?)`

const REMOVE_DEFINITIONS = 'DELETE FROM definitions WHERE hash NOT IN (SELECT definition FROM runs)'

/**
 * Removes finished top-level runs and their children, oldest first, until the policy holds; then
 * returns the free space to the disk. Running and interrupted runs stay.
 */
export const pruneHistory = async (
  database: Database,
  files: PayloadFiles,
  { maxRuns, maxAgeDays, maxBytes }: RetentionPolicy,
  nowMs: number,
): Promise<Pruned> => {
  const bytesBefore = measureBytes(database)
  let bytes = bytesBefore
  let count = countRuns(database)
  const pruned: Pruned = { runs: 0, payloadFiles: 0, bytes: 0 }
  for (;;) {
    const excess = Math.max(count - maxRuns, bytes > maxBytes ? CHUNK_FOR_BYTES : 0)
    const runs = await database.write((connection) =>
      removeOldest(connection, excess, nowMs - maxAgeDays * DAY_MS),
    )
    if (runs === 0) break
    pruned.runs += runs
    pruned.payloadFiles += await removeUnusedFiles(database, files)
    count -= runs
    bytes = measureBytes(database)
  }
  if (pruned.runs > 0) {
    await database.write(({ statement }) => statement(REMOVE_DEFINITIONS).run())
  }
  pruned.payloadFiles += await removeStrayFiles(database, files)
  await shrink(database)
  pruned.bytes = Math.max(0, bytesBefore - measureBytes(database))
  return pruned
}

/** Removes one chunk: `excess` runs, and everything started before the given time. */
const removeOldest = (
  { statement }: Connection,
  excess: number,
  startedBeforeMs: number,
): number => {
  let removed = 0
  for (const { id, started_at } of statement(CANDIDATES).all(CHUNK_RUNS)) {
    if (removed >= CHUNK_RUNS) break
    if (removed >= excess && Number(started_at) >= startedBeforeMs) break
    removed += Number(statement(REMOVE_TREE).run(String(id), CHUNK_RUNS - removed).changes)
  }
  return removed
}

/** Frees pages in steps and checkpoints the write-ahead log. */
const shrink = async (database: Database): Promise<void> => {
  for (let free = countPages(database, 'freelist_count'); free > 0; ) {
    await database.write(({ statement }) =>
      statement(`PRAGMA incremental_vacuum(${CHUNK_PAGES})`).all(),
    )
    const left = countPages(database, 'freelist_count')
    if (left >= free) break
    free = left
  }
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

const countRuns = ({ statement }: Connection): number =>
  Number(statement('SELECT count(*) AS runs FROM runs').get()?.runs)

const measureBytes = (database: Database): number => {
  const pages = countPages(database, 'page_count') - countPages(database, 'freelist_count')
  const files = database.statement('SELECT ifnull(sum(bytes), 0) AS bytes FROM payload_files').get()
  return pages * countPages(database, 'page_size') + Number(files?.bytes)
}

const countPages = (
  { statement }: Connection,
  pragma: 'page_count' | 'freelist_count' | 'page_size',
): number => Number(statement(`PRAGMA ${pragma}`).get()?.[pragma])
