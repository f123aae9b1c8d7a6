import type { LogPosition } from './log-row.ts'

/** One file of a log and how far it was read. */
export interface FileMark {
  inode: string
  /** Of the first line; empty without one. Inodes are reused, first lines are not. */
  fingerprint: string
  offset: number
}

/** Before the oldest row. */
export const LOG_START: LogPosition = 'start'

/** Newest file first. */
export const formatPosition = (marks: readonly FileMark[]): LogPosition =>
  marks.length === 0 ? LOG_START : marks.map(formatMark).join(',')

export const formatMark = ({ inode, fingerprint, offset }: FileMark): string =>
  `${inode}.${fingerprint}:${offset}`

const MARK = /^(\d{1,20})\.([0-9a-z]{0,7}):(\d{1,16})$/

/** Undefined if the text is not a position. */
export const parsePosition = (position: string): FileMark[] | undefined => {
  if (position === LOG_START) return []
  const marks: FileMark[] = []
  for (const part of position.split(',')) {
    const [, inode, fingerprint, offset] = MARK.exec(part) ?? []
    if (inode === undefined || fingerprint === undefined) return undefined
    if (!Number.isSafeInteger(Number(offset))) return undefined
    marks.push({ inode, fingerprint, offset: Number(offset) })
  }
  return marks
}
