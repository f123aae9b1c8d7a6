import { applyMetadataPatch, findMetadataFault, HOSTED_API } from '@steward/contract'
import { addRange } from '../api/add-range.ts'
import { changes, type Handler, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { invalid } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import { execute } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import {
  getStore,
  holdOpenStore,
  STORE_COLUMNS,
  toMemoryStore,
  toStoredStore,
} from './stored-memory-store.ts'

const SOURCE = {
  select: `SELECT ${STORE_COLUMNS} FROM memory_stores`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export const memoryStoreHandlers: readonly Handler[] = [
  changes(HOSTED_API.createMemoryStore, function* ({ body }, { nowMs }) {
    const id = createId('memstore')
    const { name, description, metadata } = body
    yield* execute(
      'INSERT INTO memory_stores (id, body, created_ms, updated_ms) VALUES ($1, $2, $3, $3)',
      id,
      JSON.stringify({ name, description: description ?? '', metadata: metadata ?? {} }),
      nowMs,
    )
    return toMemoryStore(yield* getStore(id))
  }),
  reads(HOSTED_API.getMemoryStore, function* ({ params }) {
    return toMemoryStore(yield* getStore(params.memory_store_id))
  }),
  reads(HOSTED_API.listMemoryStores, function* ({ query }) {
    const where = createWhere()
    if (!query.include_archived) where.add('archived_ms IS NULL')
    addRange(where, 'created_ms', query.created_at)
    const page = yield* readPage(SOURCE, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toMemoryStore(toStoredStore(row))),
      next_page: page.next_page,
    }
  }),
  changes(HOSTED_API.updateMemoryStore, function* ({ params, body }, { nowMs }) {
    const store = yield* holdOpenStore(params.memory_store_id)
    const metadata = applyMetadataPatch(store.body.metadata, body.metadata)
    const fault = findMetadataFault(metadata)
    if (fault !== undefined) throw invalid('metadata', fault, 'invalid_metadata')
    const next = {
      name: body.name ?? store.body.name,
      description: body.description ?? store.body.description,
      metadata,
    }
    yield* execute(
      'UPDATE memory_stores SET body = $2, updated_ms = $3 WHERE id = $1',
      store.id,
      JSON.stringify(next),
      nowMs,
    )
    return toMemoryStore({ ...store, body: next, updated_ms: nowMs })
  }),
  changes(HOSTED_API.archiveMemoryStore, function* ({ params }, { nowMs }) {
    const store = yield* getStore(params.memory_store_id, 'hold')
    if (store.archived_ms !== null) return toMemoryStore(store)
    yield* execute(
      'UPDATE memory_stores SET archived_ms = $2, updated_ms = $2 WHERE id = $1',
      store.id,
      nowMs,
    )
    return toMemoryStore({ ...store, archived_ms: nowMs, updated_ms: nowMs })
  }),
  changes(HOSTED_API.deleteMemoryStore, function* ({ params }) {
    const { id } = yield* getStore(params.memory_store_id, 'hold')
    yield* execute('DELETE FROM memory_stores WHERE id = $1', id)
    return { id, type: 'memory_store_deleted' as const }
  }),
]
