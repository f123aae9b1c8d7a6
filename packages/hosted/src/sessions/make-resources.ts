import { HOSTED_LIMITS, type ResourceGiven, StewardError } from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { toInstant } from '../database/instant.ts'
import { one, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import type { StoredResource } from '../log/session-body.ts'
import { STORE_COLUMNS, toStoredStore } from '../memory/stored-memory-store.ts'
import type { Seal } from '../vaults/seal.ts'
import { makeResource, refuseSharedPath } from './make-resource.ts'

/** The resources of a new session as stored. */
export function* makeResources(
  given: readonly ResourceGiven[],
  seal: Seal,
  nowMs: number,
): Tx<StoredResource[]> {
  const made: StoredResource[] = []
  for (const each of given) {
    const next: StoredResource =
      each.type === 'memory_store'
        ? { resource: yield* attach(each, made, nowMs), sealed_token: null }
        : makeResource(each, seal, nowMs)
    refuseSharedPath(made, next)
    made.push(next)
  }
  return made
}

/** A store with the name and the description that it has now. */
function* attach(
  {
    memory_store_id: storeId,
    access,
    instructions,
  }: Extract<ResourceGiven, { type: 'memory_store' }>,
  others: readonly StoredResource[],
  nowMs: number,
): Tx<StoredResource['resource']> {
  const row = /^[\w-]+$/.test(storeId)
    ? yield* one(`SELECT ${STORE_COLUMNS} FROM memory_stores WHERE id = $1`, storeId)
    : undefined
  if (row === undefined) throw invalid('memory_store_id', `there is no memory store ${storeId}`)
  const store = toStoredStore(row)
  if (store.archived_ms !== null)
    throw new StewardError('archived', { what: 'memory store', name: storeId })
  const stores = others.flatMap(({ resource }) =>
    resource.type === 'memory_store' ? [resource] : [],
  )
  if (stores.some((other) => other.memory_store_id === storeId))
    throw invalid('resources', `the memory store ${storeId} is listed twice`)
  if (stores.length >= HOSTED_LIMITS.sessionMemoryStores)
    throw invalid('resources', `at most ${HOSTED_LIMITS.sessionMemoryStores} memory stores`)
  const { name, description } = store.body
  const paths = stores.map(({ mount_path }) => mount_path)
  const at = toInstant(nowMs)
  return {
    ...{ id: createId('sesrsc'), created_at: at, updated_at: at },
    ...{ type: 'memory_store', memory_store_id: storeId, name, description },
    access: access ?? 'read_write',
    instructions: instructions ?? null,
    mount_path: choosePath(name, paths),
  }
}

const choosePath = (name: string, taken: readonly string[]): string => {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const path = `/mnt/memory/${slug === '' ? 'store' : slug}`
  for (let count = 2; ; count += 1) {
    const free = count === 2 ? path : `${path}-${count - 1}`
    if (!taken.includes(free)) return free
  }
}
