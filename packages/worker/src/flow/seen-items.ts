import { type ItemState, LIMITS } from '@steward/contract'
import { type ItemLedger, type LedgerRun, sha256Hex } from '@steward/engine'
import { z } from 'zod'
import type { KvNamespace } from '../bindings.ts'

const seenRecord = z.object({
  status: z.enum(['delivered', 'rejected', 'failed']),
  attempts: z.int().positive(),
})

/** The maximum number of keys per KV read. */
const KEYS_PER_READ = 100

/**
 * Moves the records of these items, which older versions kept in KV, to the ledger. Only items that
 * the ledger does not know are looked up, so this costs nothing once a source has no old items.
 */
export const importSeenItems = async (
  items: readonly string[],
  kv: KvNamespace,
  flowId: string,
  ledger: Pick<ItemLedger, 'lookUp' | 'importSettled'>,
  run: LedgerRun,
): Promise<void> => {
  const known = await ledger.lookUp(items)
  const unknown = [...new Set(items)].filter((item) => !known.has(item))
  const settled: { id: string; state: ItemState }[] = []
  for (let start = 0; start < unknown.length; start += KEYS_PER_READ) {
    const keys = new Map(
      unknown
        .slice(start, start + KEYS_PER_READ)
        .map((item) => [`seen:${flowId}:${sha256Hex(item)}`, item]),
    )
    for (const [key, value] of await kv.get([...keys.keys()])) {
      const id = keys.get(key)
      const state = value === null ? undefined : stateOf(value)
      if (id !== undefined && state !== undefined) settled.push({ id, state })
    }
  }
  if (settled.length > 0) await ledger.importSettled(settled, run)
}

const stateOf = (value: string): ItemState | undefined => {
  const { status, attempts } = seenRecord.parse(JSON.parse(value))
  if (status !== 'failed') return status
  return attempts >= LIMITS.flowItemAttempts ? 'given-up' : undefined
}
