import { isJsonObject, type JsonObject, LIMITS, reasonOf, StewardError } from '@steward/contract'
import type { Connection, Redactor } from '@steward/platform'
import { hashPayload, type PayloadFiles } from './payload-files.ts'

/**
 * Everything stored passes through it. Known secrets are never stored, and a run that contained one
 * cannot be resumed. Texts that only look like secrets are stored and masked for display: a resumed
 * run would otherwise compute with the mask of a value that may not be a secret.
 */
export type HistoryRedactor = Pick<Redactor, 'redactFields' | 'known'>

/** A payload ready to be stored: redacted and serialised once. */
export interface EncodedPayload {
  /** The value of the column: the JSON text, or the reference to a file. */
  column: string
  redacted: 0 | 1
  file?: { hash: string; content: Buffer }
}

export interface Payloads {
  encode(value: JsonObject): EncodedPayload
  /** Like `encode`, but never a file: for values that do not belong to one run. */
  encodeInline(value: JsonObject): EncodedPayload
  /** Inside a write: puts the payload's file, if any, on disk before the commit. */
  keep(connection: Connection, runId: string, payload: EncodedPayload): void
  decode(column: string): JsonObject
}

const REFERENCE = 'sha256:'

export const createPayloads = (files: PayloadFiles, redactor: HistoryRedactor): Payloads => {
  const encodeInline = (value: JsonObject): EncodedPayload => {
    const { value: clean, found } = redactor.known.redactFields(value)
    return { column: toText(clean), redacted: found.length > 0 ? 1 : 0 }
  }
  return {
    encodeInline,
    encode: (value) => {
      const inline = encodeInline(value)
      // A UTF-16 unit takes at most three bytes, so most payloads need not be measured.
      if (inline.column.length * 3 <= LIMITS.payloadSpillBytes) return inline
      const content = Buffer.from(inline.column, 'utf8')
      if (content.byteLength <= LIMITS.payloadSpillBytes) return inline
      const hash = hashPayload(content)
      return { ...inline, column: `${REFERENCE}${hash}`, file: { hash, content } }
    },
    keep: ({ statement }, runId, { file }) => {
      if (file === undefined) return
      // Inside the write transaction, so that pruning cannot remove the file before its row exists.
      files.keep(file.hash, file.content)
      statement('INSERT OR IGNORE INTO payload_files (hash, bytes) VALUES (?, ?)').run(
        file.hash,
        file.content.byteLength,
      )
      statement('INSERT OR IGNORE INTO payload_refs (run_id, hash) VALUES (?, ?)').run(
        runId,
        file.hash,
      )
    },
    decode: (column) => {
      const isReference = column.startsWith(REFERENCE)
      const value: unknown = JSON.parse(
        isReference ? files.read(column.slice(REFERENCE.length)) : column,
      )
      if (isJsonObject(value)) return value
      throw new StewardError('internal', { reason: 'a stored payload is not a JSON object' })
    },
  }
}

const toText = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch (thrown) {
    const reason = `cannot be stored as JSON: ${reasonOf(thrown)}`
    throw new StewardError('invalid_input', { subject: 'a value of the run', reason }, thrown)
  }
}
