import { type Memory, type MemoryActor, type MemoryVersion, memoryActor } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

const number = z.coerce.number()

const memoryRow = z.object({
  id: z.string(),
  store_id: z.string(),
  path: z.string(),
  version_id: z.string(),
  content: z.string(),
  sha256: z.string(),
  size: number,
  created_ms: number,
  updated_ms: number,
})
/** One row of `memories`. */
export type StoredMemory = z.infer<typeof memoryRow>
export type View = 'basic' | 'full'

export const MEMORY_COLUMNS =
  'id, store_id, path, version_id, content, sha256, size, created_ms, updated_ms'

export const toStoredMemory = (row: Row): StoredMemory => memoryRow.parse(row)

export const toMemory = (stored: StoredMemory, view: View): Memory => ({
  id: stored.id,
  type: 'memory',
  memory_store_id: stored.store_id,
  memory_version_id: stored.version_id,
  path: stored.path,
  content: view === 'full' ? stored.content : null,
  content_sha256: stored.sha256,
  content_size_bytes: stored.size,
  created_at: toInstant(stored.created_ms),
  updated_at: toInstant(stored.updated_ms),
})

export function* getMemory(storeId: string, id: string): Tx<StoredMemory> {
  const row = yield* one(
    `SELECT ${MEMORY_COLUMNS} FROM memories WHERE store_id = $1 AND id = $2`,
    knownId('memory store', storeId),
    knownId('memory', id),
  )
  if (row === undefined) throw notFound('memory', id)
  return toStoredMemory(row)
}

const versionRow = z.object({
  id: z.string(),
  store_id: z.string(),
  memory_id: z.string(),
  operation: z.enum(['created', 'modified', 'deleted']),
  path: z.string().nullable(),
  content: z.string().nullable(),
  sha256: z.string().nullable(),
  size: number.nullable(),
  key_id: z.string().nullable(),
  session_id: z.string().nullable(),
  created_ms: number,
  redacted_ms: number.nullable(),
  redacted_by: z.string().nullable(),
})
/** One row of `memory_versions`. */
export type StoredMemoryVersion = z.infer<typeof versionRow>

export const VERSION_COLUMNS = `id, store_id, number, memory_id, operation, path, content, sha256, size,
  key_id, session_id, created_ms, redacted_ms, redacted_by`

export const toStoredVersion = (row: Row): StoredMemoryVersion => versionRow.parse(row)

export const toMemoryVersion = (stored: StoredMemoryVersion, view: View): MemoryVersion => ({
  id: stored.id,
  type: 'memory_version',
  memory_store_id: stored.store_id,
  memory_id: stored.memory_id,
  operation: stored.operation,
  path: stored.path,
  content: view === 'full' ? stored.content : null,
  content_sha256: stored.sha256,
  content_size_bytes: stored.size,
  created_at: toInstant(stored.created_ms),
  created_by: authorOf(stored),
  redacted_at: toInstantOrNull(stored.redacted_ms),
  ...(stored.redacted_by === null
    ? {}
    : { redacted_by: memoryActor.parse(JSON.parse(stored.redacted_by)) }),
})

const authorOf = ({ session_id, key_id }: StoredMemoryVersion): MemoryActor =>
  session_id === null
    ? { type: 'api_actor', api_key_id: key_id ?? 'unknown' }
    : { type: 'session_actor', session_id }

export function* getMemoryVersion(storeId: string, id: string): Tx<StoredMemoryVersion> {
  const row = yield* one(
    `SELECT ${VERSION_COLUMNS} FROM memory_versions WHERE store_id = $1 AND id = $2`,
    knownId('memory store', storeId),
    knownId('memory version', id),
  )
  if (row === undefined) throw notFound('memory version', id)
  return toStoredVersion(row)
}
