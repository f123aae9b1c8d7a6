import { type LearningSignal, learningSignal, type RatingRow, ratingRow } from '@steward/contract'
import type { Home } from '../home/home.ts'
import { appendLogRow } from '../logs/append-log.ts'
import { readTail } from '../logs/read-tail.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { learningFilesOf } from './learning-files.ts'

type LearningHome = Pick<Home, 'learning' | 'stateDir'>

/** What a read found: the newest first, and how many lines among them were none. */
export interface LearningRows<T> {
  rows: T[]
  strange: number
}

/** Adds a rating to its log, without secrets. Synchronous, for hooks. */
export const appendRating = (
  home: LearningHome,
  rating: RatingRow,
  redactor: Pick<Redactor, 'redactFields'>,
): void => {
  appendLogRow(learningFilesOf(home).ratings, redactor.redactFields(rating).value)
}

/** The same with a signal. */
export const appendSignal = (
  home: LearningHome,
  signal: LearningSignal,
  redactor: Pick<Redactor, 'redactFields'>,
): void => {
  appendLogRow(learningFilesOf(home).signals, redactor.redactFields(signal).value)
}

/** Others write these logs too and need not have taken secrets out; so readers do. */
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
