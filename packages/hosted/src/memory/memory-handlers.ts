import { HOSTED_API, HOSTED_LIMITS } from '@steward/contract'
import { addRange } from '../api/add-range.ts'
import { type Call, changes, type Handler, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { createWhere } from '../api/where.ts'
import {
  type Author,
  createMemory,
  deleteMemory,
  redactVersion,
  updateMemory,
} from './change-memories.ts'
import { listMemories } from './list-memories.ts'
import {
  getMemory,
  getMemoryVersion,
  toMemory,
  toMemoryVersion,
  toStoredVersion,
  VERSION_COLUMNS,
} from './stored-memory.ts'
import { getStore } from './stored-memory-store.ts'

const VERSIONS = {
  select: `SELECT ${VERSION_COLUMNS} FROM memory_versions`,
  timeColumn: 'number',
  timeName: 'number',
  idColumn: 'id',
}

const authorOf = ({ key, nowMs }: Call): Author => ({
  actor:
    key.sessionId === null
      ? { type: 'api_actor', api_key_id: key.id }
      : { type: 'session_actor', session_id: key.sessionId },
  nowMs,
})

export const memoryHandlers: readonly Handler[] = [
  changes(HOSTED_API.createMemory, function* ({ params, query, body }, call) {
    const wanted = { path: body.path, content: body.content ?? '' }
    const made = yield* createMemory(params.memory_store_id, wanted, authorOf(call))
    return toMemory(made, query.view)
  }),
  reads(HOSTED_API.listMemories, function* ({ params, query }) {
    const { id } = yield* getStore(params.memory_store_id)
    return yield* listMemories(id, query)
  }),
  reads(HOSTED_API.getMemory, function* ({ params, query }) {
    yield* getStore(params.memory_store_id)
    return toMemory(yield* getMemory(params.memory_store_id, params.memory_id), query.view)
  }),
  changes(HOSTED_API.updateMemory, function* ({ params, query, body }, call) {
    const change = {
      path: body.path ?? undefined,
      content: body.content ?? undefined,
      expected: body.precondition?.content_sha256,
    }
    const { memory_store_id, memory_id } = params
    const updated = yield* updateMemory(memory_store_id, memory_id, change, authorOf(call))
    return toMemory(updated, query.view)
  }),
  changes(HOSTED_API.deleteMemory, function* ({ params, query }, call) {
    const { memory_store_id, memory_id: id } = params
    yield* deleteMemory(memory_store_id, id, query.expected_content_sha256, authorOf(call))
    return { id, type: 'memory_deleted' as const }
  }),
  reads(HOSTED_API.listMemoryVersions, function* ({ params, query }) {
    const { id } = yield* getStore(params.memory_store_id)
    // There are no service accounts here, so none has written anything.
    if (query.service_account_id !== undefined) return { data: [], next_page: null }
    const where = createWhere()
    where.add('store_id = ?', id)
    const filters = { memory_id: query.memory_id, operation: query.operation }
    const authors = { key_id: query.api_key_id, session_id: query.session_id }
    for (const [column, value] of Object.entries({ ...filters, ...authors }))
      if (value !== undefined) where.add(`${column} = ?`, value.replaceAll('\0', ''))
    addRange(where, 'created_ms', query.created_at)
    const { memoriesInFullView: most } = HOSTED_LIMITS
    const limit = query.view === 'full' ? Math.min(query.limit, most) : query.limit
    const page = yield* readPage(VERSIONS, where, { limit, page: query.page, order: 'desc' })
    return {
      data: page.rows.map((row) => toMemoryVersion(toStoredVersion(row), query.view)),
      next_page: page.next_page,
    }
  }),
  reads(HOSTED_API.getMemoryVersion, function* ({ params, query }) {
    const { memory_store_id, memory_version_id } = params
    yield* getStore(memory_store_id)
    return toMemoryVersion(yield* getMemoryVersion(memory_store_id, memory_version_id), query.view)
  }),
  changes(HOSTED_API.redactMemoryVersion, function* ({ params }, call) {
    const { memory_store_id, memory_version_id } = params
    const redacted = yield* redactVersion(memory_store_id, memory_version_id, authorOf(call))
    return toMemoryVersion(redacted, 'full')
  }),
]
