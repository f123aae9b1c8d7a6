import { createHash } from 'node:crypto'
import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { one, query, type Tx } from '../database/tx.ts'
import type { LocalChange, MemoryExchange } from '../hands/hands.ts'
import { type Author, createMemory, deleteMemory, updateMemory } from './change-memories.ts'
import { MEMORY_COLUMNS, type StoredMemory, toStoredMemory } from './stored-memory.ts'
import { getStore } from './stored-memory-store.ts'

const listed = z.object({ path: z.string(), sha256: z.string() })

/**
 * Applies what a session changed in its folder, and returns what is different in the store. A
 * memory that changed on both sides keeps the content of the store. All of it is one transaction,
 * and a repetition after a crash finds the contents equal and adds no version.
 */
export function* exchangeMemories(
  storeId: string,
  local: ReadonlyMap<string, string>,
  changed: readonly LocalChange[],
  author: Author,
): Tx<MemoryExchange> {
  yield* getStore(storeId, changed.length > 0 ? 'hold' : 'look')
  const refused: MemoryExchange['refused'] = []
  for (const change of changed) {
    const reason = yield* apply(storeId, change, author)
    if (reason !== undefined) refused.push({ path: change.path, reason })
  }
  const rows = yield* query('SELECT path, sha256 FROM memories WHERE store_id = $1', storeId)
  const stored = new Map(rows.map((row) => listed.parse(row)).map((row) => [row.path, row.sha256]))
  const written: MemoryExchange['written'] = []
  for (const [path, sha256] of stored) {
    if (local.get(path) === sha256) continue
    const memory = yield* findAt(storeId, path)
    if (memory !== undefined) written.push({ path, sha256, content: memory.content })
  }
  return { written, deleted: [...local.keys()].filter((path) => !stored.has(path)), refused }
}

/** The reason if the change was not applied. */
function* apply(
  storeId: string,
  { path, content, base }: LocalChange,
  author: Author,
): Tx<string | undefined> {
  const current = yield* findAt(storeId, path)
  const wanted = content === null ? undefined : hash(content)
  if (current?.sha256 === wanted) return undefined
  if (current !== undefined && current.sha256 !== base) return CHANGED_MEANWHILE
  try {
    if (content === null) {
      if (current !== undefined) yield* deleteMemory(storeId, current.id, undefined, author)
    } else if (current === undefined) yield* createMemory(storeId, { path, content }, author)
    else yield* updateMemory(storeId, current.id, { content }, author)
    return undefined
  } catch (thrown) {
    // Checks come before the first write, so a refusal leaves nothing half done.
    if (thrown instanceof StewardError && thrown.status < 500) return thrown.message
    throw thrown
  }
}

const CHANGED_MEANWHILE =
  'somebody else changed it meanwhile; the file now has their version, so read it and change it again'

function* findAt(storeId: string, path: string): Tx<StoredMemory | undefined> {
  const row = yield* one(
    `SELECT ${MEMORY_COLUMNS} FROM memories WHERE store_id = $1 AND path = $2`,
    storeId,
    path,
  )
  return row === undefined ? undefined : toStoredMemory(row)
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
