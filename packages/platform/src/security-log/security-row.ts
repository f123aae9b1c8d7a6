import { createHash } from 'node:crypto'
import {
  type JsonObject,
  SECURITY_EVENT_TYPE_OF,
  type SecurityEventDraft,
  type SecurityRow,
} from '@steward/contract'
import type { Redactor } from '../redaction/redactor.ts'

/** The end of the chain. */
export interface ChainEnd {
  seq: number
  hash: string
}

export const CHAIN_START: ChainEnd = { seq: 0, hash: '' }

const SHOWN_CHARS = 500
/**
 * Extra characters that are masked before cutting: a secret across the cut must not leave its first
 * half.
 */
const MARGIN_CHARS = 8192

/** The row that follows `end`. Its fields have a fixed order, so that its text is reproducible. */
export const buildSecurityRow = (
  event: SecurityEventDraft,
  end: ChainEnd,
  now: Date,
  redactor: Pick<Redactor, 'redactText'>,
): SecurityRow => {
  const clean = (text: string): string => {
    const near = text.slice(0, SHOWN_CHARS + MARGIN_CHARS)
    const shown = redactor.redactText(near).value
    return shown.length <= SHOWN_CHARS ? shown : `${shown.slice(0, SHOWN_CHARS - 1)}…`
  }
  const row = {
    timestamp: event.timestamp ?? now.toISOString(),
    session_id: clean(event.session_id),
    host: clean(event.host),
    event_type: SECURITY_EVENT_TYPE_OF[event.verdict],
    tool: clean(event.tool),
    verdict: event.verdict,
    rule: clean(event.rule),
    reason: clean(event.reason),
    target: clean(event.target),
    shadow: event.shadow ?? false,
    ...(event.call === undefined ? {} : { call: clean(event.call) }),
    seq: end.seq + 1,
    prev: end.hash,
  }
  return { ...row, hash: hashOf(row) }
}

/** Why a line is not an intact row; undefined if it is. */
export const findRowFault = (line: string, row: JsonObject): string | undefined => {
  const { hash, ...rest } = row
  if (typeof hash !== 'string' || typeof row.prev !== 'string' || !Number.isSafeInteger(row.seq)) {
    return 'it is not a row of the chain: seq, prev or hash is missing'
  }
  if (hashOf(rest) !== hash) return 'it was changed: its hash does not match'
  // Parsing accepts duplicate fields and other whitespace; the hash must not.
  return JSON.stringify(row) === line ? undefined : 'it was changed: it is not in canonical form'
}

/** Whether a line of the log is a row that we wrote and that names its call. */
export const isSecurityRow = (row: JsonObject): row is JsonObject & SecurityRow =>
  typeof row.call === 'string' && typeof row.rule === 'string' && typeof row.hash === 'string'

export const chainEndOf = (row: JsonObject): ChainEnd | undefined =>
  typeof row.seq === 'number' && typeof row.hash === 'string'
    ? { seq: row.seq, hash: row.hash }
    : undefined

const hashOf = (row: JsonObject): string =>
  createHash('sha256').update(JSON.stringify(row)).digest('hex')
