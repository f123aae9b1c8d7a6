import { join } from 'node:path'
import { type JsonObject, reasonOf } from '@steward/contract'
import { appendLogRow, formatMoment, type Home, type Redactor } from '@steward/platform'

/** One row of the event-log channel; `type` is dotted, such as `work.created` or `voice.sent`. */
export interface EventLogRow extends JsonObject {
  session_id: string
  source: string
  type: string
}

export interface EventLogPorts {
  home: Pick<Home, 'stateDir'>
  now: () => number
  redactor: () => Pick<Redactor, 'redactFields'>
  onFault: (message: string) => void
}

export const eventLogPath = ({ stateDir }: Pick<Home, 'stateDir'>): string =>
  join(stateDir, 'events.jsonl')

/**
 * Appends a row to `MEMORY/STATE/events.jsonl`. Synchronous; never throws, because a log line must
 * not make the caller fail.
 */
export const appendEventLog = (row: EventLogRow, ports: EventLogPorts): void => {
  const { home, now, redactor, onFault } = ports
  try {
    const { value } = redactor().redactFields({ timestamp: formatMoment(now()), ...row })
    const { rotationError } = appendLogRow(eventLogPath(home), value, { now })
    if (rotationError !== undefined) onFault(rotationError.message)
  } catch (thrown) {
    onFault(reasonOf(thrown))
  }
}
