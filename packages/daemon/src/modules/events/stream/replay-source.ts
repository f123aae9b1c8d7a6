import type { EventSource, StewardEvent } from '@steward/contract'
import {
  createLogFollower,
  LOG_START,
  type LogPosition,
  normaliseEvent,
  type Redactor,
} from '@steward/platform'
import type { ArrivedEvent } from '../collect/source-reader.ts'

export interface ReplayRequest {
  source: EventSource
  path: string
  /** The client's position. */
  from: LogPosition
  /** The position at which live events start. */
  to: LogPosition
  redactor: Pick<Redactor, 'redactFields'>
  mostRows: number
}

/**
 * The rows between two positions of a source, from disk; undefined if they are missing or too many.
 */
export const replaySource = async ({
  source,
  path,
  from,
  to,
  redactor,
  mostRows,
}: ReplayRequest): Promise<ArrivedEvent[] | undefined> => {
  if (from === to) return []
  const follower = createLogFollower({ path, from })
  try {
    const missed: ArrivedEvent[] = []
    let before = from
    for (let more = true; more; ) {
      const read = await follower.read()
      if (read.gap) return undefined
      for (const { row, position } of read.rows) {
        if (isCovered(to, before, position)) {
          missed.push({ event: toEvent(source, row, redactor), position })
        }
        before = position
      }
      if (missed.length > mostRows) return undefined
      more = read.more
    }
    return missed
  } finally {
    await follower.close()
  }
}

const toEvent = (
  source: EventSource,
  row: Record<string, unknown>,
  redactor: Pick<Redactor, 'redactFields'>,
): StewardEvent => normaliseEvent(source, redactor.redactFields(row).value)

/** A file of a log and the offset read, as in `LogPosition`. */
interface Mark {
  inode: string
  offset: number
}

/** Newest file first. */
const marksOf = (position: LogPosition): Mark[] =>
  position === LOG_START
    ? []
    : position.split(',').map((part) => {
        const [file = '', offset = ''] = part.split(':')
        return { inode: file.split('.')[0] ?? '', offset: Number(offset) }
      })

/** The file of a row: the one whose mark moved between the position before the row and its own. */
const markOfRow = (before: LogPosition, after: LogPosition): Mark | undefined => {
  const former = new Map(marksOf(before).map(({ inode, offset }) => [inode, offset]))
  return marksOf(after).find(({ inode, offset }) => offset > 0 && former.get(inode) !== offset)
}

/**
 * Whether a reader at `reader` has already read the row between two positions. Positions of two
 * readers of the same log differ in the rotated files they remember, so they are compared by the
 * row's file. A rotated file that `reader` does not remember was read to its end, unless it is
 * newer than the newest file it knows.
 */
const isCovered = (reader: LogPosition, before: LogPosition, after: LogPosition): boolean => {
  const row = markOfRow(before, after)
  const known = marksOf(reader)
  const [newest] = known
  if (row === undefined || newest === undefined) return false
  const same = known.find(({ inode }) => inode === row.inode)
  if (same !== undefined) return row.offset <= same.offset
  const order = marksOf(after).map(({ inode }) => inode)
  const place = order.indexOf(newest.inode)
  return place === -1 || place < order.indexOf(row.inode)
}
