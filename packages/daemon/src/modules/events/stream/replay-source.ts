import type { EventSource, StewardEvent } from '@steward/contract'
import {
  createLogFollower,
  type LogPosition,
  normaliseEvent,
  type Redactor,
} from '@steward/platform'
import type { ArrivedEvent } from '../collect/source-reader.ts'
import { isCovered } from './is-covered.ts'

export interface ReplayRequest {
  source: EventSource
  path: string
  /** Where the client stood. */
  from: LogPosition
  /** Where what it is sent live begins. */
  to: LogPosition
  redactor: Pick<Redactor, 'redactFields'>
  mostRows: number
}

/** The rows between two positions of a source, from the disk; nothing when they are gone or too many. */
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
