import { createHash } from 'node:crypto'
import { HOSTED_LIMITS, type MemoryActor, StewardError } from '@steward/contract'
import { z } from 'zod'
import { invalid } from '../api/refusal.ts'
import { execute, one, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import {
  getMemory,
  getMemoryVersion,
  type StoredMemory,
  type StoredMemoryVersion,
} from './stored-memory.ts'
import { getStore, holdOpenStore } from './stored-memory-store.ts'

/** Who changes memories, and when. */
export interface Author {
  actor: MemoryActor
  nowMs: number
}

export function* createMemory(
  storeId: string,
  { path, content }: { path: string; content: string },
  author: Author,
): Tx<StoredMemory> {
  const store = yield* holdOpenStore(storeId)
  yield* checkPath(store.id, path)
  const count = yield* one('SELECT COUNT(*) AS count FROM memories WHERE store_id = $1', store.id)
  if (Number(count?.count) >= HOSTED_LIMITS.memories)
    throw invalid('the memory store', `it has at most ${HOSTED_LIMITS.memories} memories`)
  const id = createId('mem')
  const next = { id, path, ...measure(content) }
  const version = yield* insertVersion(store.id, next, 'created', author)
  yield* execute(
    `INSERT INTO memories
       (id, store_id, path, version_id, content, sha256, size, created_ms, updated_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    ...[id, store.id, path, version, content, next.sha256, next.size, author.nowMs],
  )
  return yield* getMemory(store.id, id)
}

interface MemoryChange {
  path?: string | undefined
  content?: string | undefined
  /** The hash that the current content must have. */
  expected?: string | undefined
}

/** An update without changes adds no version and meets every precondition. */
export function* updateMemory(
  storeId: string,
  id: string,
  change: MemoryChange,
  author: Author,
): Tx<StoredMemory> {
  const store = yield* holdOpenStore(storeId)
  const before = yield* getMemory(store.id, id)
  const path = change.path ?? before.path
  const content = change.content ?? before.content
  if (path === before.path && content === before.content) return before
  checkHash(before, change.expected)
  if (path !== before.path) yield* checkPath(store.id, path, before.id)
  const next = { id, path, ...measure(content) }
  const version = yield* insertVersion(store.id, next, 'modified', author)
  yield* execute(
    `UPDATE memories SET path = $2, version_id = $3, content = $4, sha256 = $5, size = $6,
       updated_ms = $7 WHERE id = $1`,
    ...[id, path, version, content, next.sha256, next.size, author.nowMs],
  )
  return yield* getMemory(store.id, id)
}

/** Allowed in archived stores too. */
export function* deleteMemory(
  storeId: string,
  id: string,
  expected: string | undefined,
  author: Author,
): Tx<void> {
  const store = yield* getStore(storeId, 'hold')
  const memory = yield* getMemory(store.id, id)
  checkHash(memory, expected)
  const gone = { id, path: memory.path, content: null, sha256: null, size: null }
  yield* insertVersion(store.id, gone, 'deleted', author)
  yield* execute('DELETE FROM memories WHERE id = $1', id)
}

/** Erases a past version; a repetition changes nothing. */
export function* redactVersion(
  storeId: string,
  id: string,
  { actor, nowMs }: Author,
): Tx<StoredMemoryVersion> {
  const store = yield* getStore(storeId, 'hold')
  const version = yield* getMemoryVersion(store.id, id)
  if (version.redacted_ms !== null) return version
  const current = yield* one('SELECT id FROM memories WHERE version_id = $1', id)
  if (current !== undefined)
    throw invalid(
      'the version',
      `it is the current content of ${version.memory_id}: change or delete that memory first`,
    )
  yield* execute(
    `UPDATE memory_versions SET path = NULL, content = NULL, sha256 = NULL, size = NULL,
       redacted_ms = $2, redacted_by = $3 WHERE id = $1`,
    id,
    nowMs,
    JSON.stringify(actor),
  )
  return yield* getMemoryVersion(store.id, id)
}

const measure = (content: string) => ({
  content,
  sha256: createHash('sha256').update(content).digest('hex'),
  size: Buffer.byteLength(content),
})

const checkHash = ({ id, sha256 }: StoredMemory, expected: string | undefined): void => {
  if (expected !== undefined && expected !== sha256)
    throw new StewardError('memory_precondition_failed', { id })
}

/** A path is used once, and no memory is at a folder of another one. */
function* checkPath(storeId: string, path: string, ownId = ''): Tx<void> {
  const segments = path.split('/')
  const above = segments.slice(2).map((_, index) => segments.slice(0, index + 2).join('/'))
  const places = [path, ...above].map((_, index) => `$${index + 5}`)
  const below = `${path}/`
  const row = yield* one(
    `SELECT id, path FROM memories WHERE store_id = $1 AND id <> $2
       AND (path IN (${places.join(', ')}) OR substr(path, 1, $3) = $4) LIMIT 1`,
    ...[storeId, ownId, [...below].length, below, path, ...above],
  )
  if (row === undefined) return
  const other = z.object({ id: z.string(), path: z.string() }).parse(row)
  throw new StewardError('memory_path_conflict', {
    path,
    other: other.path,
    wire: { conflicting_memory_id: other.id, conflicting_path: other.path },
  })
}

interface Changed {
  id: string
  path: string
  content: string | null
  sha256: string | null
  size: number | null
}

function* insertVersion(
  storeId: string,
  { id: memoryId, path, content, sha256, size }: Changed,
  operation: StoredMemoryVersion['operation'],
  { actor, nowMs }: Author,
): Tx<string> {
  const id = createId('memver')
  const last = yield* one(
    'SELECT COALESCE(MAX(number), 0) AS number FROM memory_versions WHERE store_id = $1',
    storeId,
  )
  yield* execute(
    `INSERT INTO memory_versions (id, store_id, number, memory_id, operation, path, content, sha256,
       size, key_id, session_id, created_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    ...[id, storeId, Number(last?.number) + 1, memoryId, operation, path, content, sha256, size],
    actor.type === 'api_actor' ? actor.api_key_id : null,
    actor.type === 'session_actor' ? actor.session_id : null,
    nowMs,
  )
  return id
}
