import {
  type FlowItemView,
  flowItem,
  type ItemState,
  isJsonObject,
  type JsonObject,
  type RecordedError,
  recordedError,
} from '@steward/contract'
import type { SqlValue } from './sql-query.ts'

/** What a ledger knows about trying to deliver. */
export interface DeliveryEntry {
  state: ItemState
  attempts: number
  failingSinceMs: number | null
  nextAttemptMs: number | null
  /** Until when the destination asked not to be called. */
  notBeforeMs: number | null
  error: RecordedError | null
}

/** What the ledger knows about one item. */
export interface LedgerEntry extends DeliveryEntry {
  id: string
  title: string | null
  changedAtMs: number
  /** The input, unless it contained a secret: secrets are not stored. */
  payload: JsonObject | null
  output: JsonObject | null
  /** The digest that contains it and is not delivered yet. */
  digest: string | null
  /** By destination; empty for a flow with one. */
  deliveries: ReadonlyMap<string, DeliveryEntry>
}

/** A change of one item; fields that are left out stay as they are. */
export interface LedgerChange {
  state: ItemState
  attempts?: number
  /** Null for an item that does not fail; an item that failed before keeps its earlier time. */
  failingSinceMs?: number | null
  nextAttemptMs?: number | null
  notBeforeMs?: number | null
  output?: JsonObject
  error?: RecordedError | null
}

export interface RowPorts {
  /** JSON to store; null if the value contained a secret or is too long. */
  encode: (value: JsonObject) => string | null
  /** Removes secrets from a text. */
  mask: (text: string) => string
}

export const isOpen = (state: ItemState): boolean =>
  state === 'found' || state === 'processed' || state === 'waiting'

export const columnsOf = (
  { state, attempts, failingSinceMs, nextAttemptMs, notBeforeMs, output, error }: LedgerChange,
  { encode, mask }: RowPorts,
): Map<string, SqlValue> => {
  const columns = new Map<string, SqlValue>([['state', state]])
  const set = <T>(column: string, value: T | undefined, toSql: (value: T) => SqlValue): void => {
    if (value !== undefined) columns.set(column, toSql(value))
  }
  const asIs = (value: number | null) => value
  set('attempts', attempts, asIs)
  set('failing_since', failingSinceMs, asIs)
  set('next_attempt_at', nextAttemptMs, asIs)
  set('not_before', notBeforeMs, asIs)
  set('output', output, encode)
  set('error', error, (each) => encodeError(each, mask))
  if (state === 'delivered' || state === 'filtered') {
    columns.set('payload', null).set('output', null).set('error', null)
  }
  return columns
}

export const encodeError = (error: RecordedError | null, mask: RowPorts['mask']): string | null => {
  if (error === null) return null
  const { code, message, retryable } = error
  return JSON.stringify({ code, message: mask(message), retryable })
}

type Row = Record<string, unknown>

export const toEntry = (row: Row): LedgerEntry => ({
  id: String(row.item),
  title: textOf(row.title),
  changedAtMs: Number(row.changed_at),
  ...toDelivery(row),
  payload: objectOf(row.payload),
  output: objectOf(row.output),
  digest: textOf(row.digest),
  deliveries: deliveriesOf(row.deliveries),
})

const toDelivery = (row: Row): DeliveryEntry => ({
  state: flowItem.shape.state.parse(row.state),
  attempts: Number(row.attempts),
  failingSinceMs: numberOf(row.failing_since),
  nextAttemptMs: numberOf(row.next_attempt_at),
  notBeforeMs: numberOf(row.not_before),
  error: errorOf(row.error),
})

const NONE: ReadonlyMap<string, DeliveryEntry> = new Map()

const deliveriesOf = (value: unknown): ReadonlyMap<string, DeliveryEntry> => {
  if (typeof value !== 'string' || value === '[]') return NONE
  const rows: unknown = JSON.parse(value)
  if (!Array.isArray(rows)) return NONE
  return new Map(rows.filter(isJsonObject).map((row) => [String(row.destination), toDelivery(row)]))
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
export const objectOf = (value: unknown): JsonObject | null => {
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : null
  return isJsonObject(parsed) ? parsed : null
}
export const errorOf = (value: unknown): RecordedError | null =>
  typeof value === 'string' ? recordedError.parse(JSON.parse(value)) : null
export const timeOf = (value: unknown): string | null =>
  typeof value === 'number' ? new Date(value).toISOString() : null

/** The column `deliveries`, for people. */
export const deliveryViews = (value: unknown): Pick<FlowItemView, 'deliveries'> => {
  const found = deliveriesOf(value)
  if (found.size === 0) return {}
  return {
    deliveries: [...found].map(([destination, { state, attempts, nextAttemptMs, error }]) => ({
      destination,
      state,
      attempts,
      nextAttemptAt: isOpen(state) ? timeOf(nextAttemptMs) : null,
      error: error?.message ?? null,
    })),
  }
}

/** Changes every text of an output. */
export const mapTexts = (output: JsonObject, change: (text: string) => string): JsonObject => {
  const inner = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value)
    if (Array.isArray(value)) return value.map(inner)
    return isJsonObject(value) ? mapTexts(value, change) : value
  }
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, inner(value)]))
}
