import { LIMITS } from '@steward/contract'
import { sha256Hex } from '@steward/engine'
import { z } from 'zod'
import type { KvNamespace } from '../bindings.ts'

const seenRecord = z.object({
  status: z.enum(['delivered', 'rejected', 'failed']),
  attempts: z.int().positive(),
  runId: z.string(),
  at: z.string(),
})
type ItemStatus = z.infer<typeof seenRecord>['status']

interface KnownItem {
  attempts: number
  /** Delivered, rejected, or out of retries. */
  settled: boolean
}

/** A flow's record of its items by identity, in KV. */
export interface SeenItems {
  /** Reads the records of all these items, a hundred per request. */
  lookUp: (items: readonly string[]) => Promise<(item: string) => KnownItem>
  mark: (
    item: string,
    status: ItemStatus,
    before: KnownItem,
    run: { id: string; at: Date },
  ) => Promise<void>
}

/** The maximum number of keys per KV read. */
const KEYS_PER_READ = 100
const UNKNOWN: KnownItem = { attempts: 0, settled: false }

export const createSeenItems = (kv: KvNamespace, flowId: string): SeenItems => {
  const keyOf = (item: string) => `seen:${flowId}:${sha256Hex(item)}`
  return {
    lookUp: async (items) => {
      const keys = [...new Set(items.map(keyOf))]
      const known = new Map<string, KnownItem>()
      for (let start = 0; start < keys.length; start += KEYS_PER_READ) {
        const found = await kv.get(keys.slice(start, start + KEYS_PER_READ))
        for (const [key, value] of found) if (value !== null) known.set(key, toKnown(value))
      }
      return (item) => known.get(keyOf(item)) ?? UNKNOWN
    },
    mark: (item, status, { attempts }, { id, at }) => {
      const record = { status, attempts: attempts + 1, runId: id, at: at.toISOString() }
      return kv.put(keyOf(item), JSON.stringify(record))
    },
  }
}

const toKnown = (value: string): KnownItem => {
  const { status, attempts } = seenRecord.parse(JSON.parse(value))
  return { attempts, settled: status !== 'failed' || attempts >= LIMITS.flowItemAttempts }
}
