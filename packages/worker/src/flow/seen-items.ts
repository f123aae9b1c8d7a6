import { type ItemState, LIMITS } from '@steward/contract'
import { sha256Hex } from '@steward/engine'
import { z } from 'zod'
import type { KvNamespace } from '../bindings.ts'

const seenRecord = z.object({
  status: z.enum(['delivered', 'rejected', 'failed']),
  attempts: z.int().positive(),
})

/** The maximum number of keys per KV read. */
const KEYS_PER_READ = 100

/**
 * The settled ones of these items in the records that older versions kept in KV. Only items that the
 * ledger does not know are looked up, so this costs nothing once a source has no old items.
 */
export const readSeenItems = async (
  items: readonly string[],
  kv: KvNamespace,
  flowId: string,
): Promise<{ id: string; state: ItemState }[]> => {
  const settled: { id: string; state: ItemState }[] = []
  for (let start = 0; start < items.length; start += KEYS_PER_READ) {
    const keys = new Map(
      items
        .slice(start, start + KEYS_PER_READ)
        .map((item) => [`seen:${flowId}:${sha256Hex(item)}`, item]),
    )
    for (const [key, value] of await kv.get([...keys.keys()])) {
      const id = keys.get(key)
      const state = value === null ? undefined : stateOf(value)
      if (id !== undefined && state !== undefined) settled.push({ id, state })
    }
  }
  return settled
}

const stateOf = (value: string): ItemState | undefined => {
  const { status, attempts } = seenRecord.parse(JSON.parse(value))
  if (status !== 'failed') return status
  return attempts >= LIMITS.flowItemAttempts ? 'given-up' : undefined
}
