import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type JsonObject, LIMITS, type StewardError, toStewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { endsTorn } from '../files/ends-torn.ts'
import { storageErrorOf } from '../storage-error.ts'
import { encodeRow } from './encode-row.ts'
import { type RotateOptions, rotateLog } from './rotate-log.ts'

export interface AppendOptions extends RotateOptions {
  /** Longer rows are shortened. */
  maxLineBytes?: number
}

export interface Appended {
  shortened: boolean
  rotated: boolean
  /** The row is written, but the oversized log could not be rotated. */
  rotationError?: StewardError
}

/**
 * Appends a row to a log: one line in a single write, so that rows of several processes never mix.
 * Synchronous, because a hook exits right after; it takes some microseconds. Secrets must be masked
 * before. Throws `storage_failed` if the row is not written.
 */
export const appendLogRow = (
  path: string,
  row: JsonObject,
  options: AppendOptions = {},
): Appended => {
  const { maxLineBytes = LIMITS.eventLineBytes, maxBytes = LIMITS.logBytes } = options
  const { line, shortened } = encodeRow(path, row, maxLineBytes)
  const sizeBytes = appendLine(path, line)
  if (sizeBytes <= maxBytes) return { shortened, rotated: false }
  try {
    return { shortened, rotated: rotateLog(path, options) }
  } catch (thrown) {
    return { shortened, rotated: false, rotationError: toStewardError(thrown) }
  }
}

const READ_AND_APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

/** Returns the size of the file afterwards, as far as this writer knows. */
const appendLine = (path: string, line: Buffer): number => {
  let file: number | undefined
  try {
    file = openLog(path)
    // A write was interrupted (a full disk, a kill): without a line break our row would be lost
    // with it.
    const bytes = endsTorn(file) ? Buffer.concat([Buffer.from('\n'), line]) : line
    const { size } = fstatSync(file)
    const written = writeSync(file, bytes)
    if (written !== bytes.length) {
      throw new Error(`only ${written} of ${bytes.length} bytes were written; is the disk full?`)
    }
    return size + written
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'the row cannot be appended')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const openLog = (path: string): number => {
  try {
    return openSync(path, READ_AND_APPEND, 0o600)
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, READ_AND_APPEND, 0o600)
  }
}
