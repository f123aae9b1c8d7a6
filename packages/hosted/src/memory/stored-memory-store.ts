import { type MemoryStore, StewardError } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

const number = z.coerce.number()
const storeRow = z.object({
  id: z.string(),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(
      z.object({
        name: z.string(),
        description: z.string(),
        metadata: z.record(z.string(), z.string()),
      }),
    ),
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})
/** One row of `memory_stores`. */
type StoredMemoryStore = z.infer<typeof storeRow>

export const STORE_COLUMNS = 'id, body, created_ms, updated_ms, archived_ms'

export const toStoredStore = (row: Row): StoredMemoryStore => storeRow.parse(row)

export const toMemoryStore = (store: StoredMemoryStore): MemoryStore => ({
  id: store.id,
  type: 'memory_store',
  ...store.body,
  created_at: toInstant(store.created_ms),
  updated_at: toInstant(store.updated_ms),
  archived_at: toInstantOrNull(store.archived_ms),
})

/** The store; `hold` makes changes of its memories happen one after the other. */
export function* getStore(id: string, hold: 'hold' | 'look' = 'look'): Tx<StoredMemoryStore> {
  const row = yield* one(
    `SELECT ${STORE_COLUMNS} FROM memory_stores WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('memory store', id),
  )
  if (row === undefined) throw notFound('memory store', id)
  return toStoredStore(row)
}

/** The store, locked for a change that archiving forbids. */
export function* holdOpenStore(id: string): Tx<StoredMemoryStore> {
  const store = yield* getStore(id, 'hold')
  if (store.archived_ms !== null)
    throw new StewardError('archived', { what: 'memory store', name: store.id })
  return store
}
