import { HOSTED_LIMITS, type MemoryListItem } from '@steward/contract'
import { z } from 'zod'
import { readCursor, writeCursor } from '../api/page.ts'
import { query, type Tx } from '../database/tx.ts'
import { getMemory, toMemory, type View } from './stored-memory.ts'

interface ListRequest {
  limit: number
  page?: string | undefined
  depth: number
  path_prefix?: string | undefined
  view: View
}

const cursor = z.object({ after: z.string() })
const entry = z.object({ id: z.string(), path: z.string() })

/**
 * One page of a store's memories by path. A store has few enough memories that all paths fit in
 * memory; only those of the page are read as a whole.
 */
export function* listMemories(
  storeId: string,
  { limit, page, depth, path_prefix: prefix = '/', view }: ListRequest,
): Tx<{ data: MemoryListItem[]; next_page: string | null }> {
  const rows = yield* query('SELECT id, path FROM memories WHERE store_id = $1', storeId)
  const places = new Map<string, string | undefined>()
  for (const { id, path } of rows.map((row) => entry.parse(row))) {
    if (!path.startsWith(prefix)) continue
    const below = path.slice(prefix.length).split('/')
    const isDeeper = depth > 0 && below.length > depth
    if (isDeeper) places.set(`${prefix}${below.slice(0, depth).join('/')}/`, undefined)
    else places.set(path, id)
  }
  const after = page === undefined ? '' : readCursor(page, cursor).after
  const rest = [...places].filter(([path]) => path > after).toSorted(byPath)
  const most = view === 'full' ? Math.min(limit, HOSTED_LIMITS.memoriesInFullView) : limit
  const data: MemoryListItem[] = []
  for (const [path, id] of rest.slice(0, most))
    data.push(
      id === undefined
        ? { type: 'memory_prefix', path }
        : toMemory(yield* getMemory(storeId, id), view),
    )
  const last = data.at(-1)
  const hasMore = rest.length > most && last !== undefined
  return { data, next_page: hasMore ? writeCursor({ after: last.path }) : null }
}

const byPath = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1
