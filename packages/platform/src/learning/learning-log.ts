import { type LearningSignal, learningSignal, type RatingRow, ratingRow } from '@steward/contract'
import type { Home } from '../home/home.ts'
import { appendLogRow } from '../logs/append-log.ts'
import { readTail } from '../logs/read-tail.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { learningFilesOf } from './learning-files.ts'

type LearningHome = Pick<Home, 'learning' | 'stateDir'>

/** Rows, newest first, and the number of invalid lines among them. */
export interface LearningRows<T> {
  rows: T[]
  strange: number
}

/** Appends a rating to its log, with secrets masked. Synchronous, for hooks. */
export const appendRating = (
  home: LearningHome,
  rating: RatingRow,
  redactor: Pick<Redactor, 'redactFields'>,
): void => {
  appendLogRow(learningFilesOf(home).ratings, redactor.redactFields(rating).value)
}

/** Like `appendRating`, for a signal. */
export const appendSignal = (
  home: LearningHome,
  signal: LearningSignal,
  redactor: Pick<Redactor, 'redactFields'>,
): void => {
  appendLogRow(learningFilesOf(home).signals, redactor.redactFields(signal).value)
}

/** Other programs also write these logs, possibly with secrets, so readers mask them too. */
export const readRatings = (
  home: LearningHome,
  count: number,
  redactor: Pick<Redactor, 'redactFields'>,
): Promise<LearningRows<RatingRow>> =>
  readRows(learningFilesOf(home).ratings, count, redactor, ratingRow)

export const readSignals = (
  home: LearningHome,
  count: number,
  redactor: Pick<Redactor, 'redactFields'>,
): Promise<LearningRows<LearningSignal>> =>
  readRows(learningFilesOf(home).signals, count, redactor, learningSignal)

interface RowShape<T> {
  safeParse: (row: unknown) => { success: true; data: T } | { success: false }
}

const readRows = async <T>(
  path: string,
  count: number,
  redactor: Pick<Redactor, 'redactFields'>,
  shape: RowShape<T>,
): Promise<LearningRows<T>> => {
  const { rows, skipped } = await readTail(path, { rows: count })
  const found: T[] = []
  for (const { row } of rows) {
    const parsed = shape.safeParse(redactor.redactFields(row).value)
    if (parsed.success) found.push(parsed.data)
  }
  const strange = rows.length - found.length + skipped.foreign + skipped.binary + skipped.tooLong
  return { rows: found.reverse(), strange }
}
