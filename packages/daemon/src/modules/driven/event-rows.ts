import { createClipText } from '@steward/assistants'
import type { EventTypeOf, HostName, JsonObject } from '@steward/contract'
import { appendLogRow, eventLogPath, type Home, type Redactor, readTail } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'

/** Marks rows that Steward wrote for a session it drives. */
const DRIVER = 'steward'
type RowType = EventTypeOf<'tool-activity'> | EventTypeOf<'tool-failure'>

const TAIL_ROWS = 500
const PROMPT_CHARS = 2000
const PREVIEW_CHARS = 300
/** Enough to recognise a prompt by. */
const PROMPT_HEAD_CHARS = 100

const isWith = (text: unknown, part: string): boolean =>
  typeof text === 'string' && text.includes(part)

export interface EventRowsPorts {
  home: Pick<Home, 'root'>
  bus: Bus
  now: () => number
  redactor: () => Redactor
}

/** The rows of one session in the event logs. */
export interface EventRows {
  /** Written at once, so that the session is listed. */
  started: (startSource: 'startup' | 'resume') => void
  prompted: (prompt: string) => void
  /**
   * The turn that began at a time was interrupted: writes its prompt, unless the interruption left a
   * row of it.
   */
  recovered: (prompt: string, since: string) => Promise<void>
  /** The assistant has answered: its hooks, if it has any, have written their first row by now. */
  answered: () => Promise<void>
  used: (tool: string, input: unknown, error?: string) => void
  /** The turn ended, with an error if it failed. */
  ended: (message: string, error?: string) => void
  stop: () => void
}

/**
 * Sessions are listed from the event logs. If the hooks of the assistant report a session, their rows
 * are the record and this writes only its start, so that each prompt and tool call counts once;
 * otherwise it writes the rows that hooks would. Rows wait until that is known.
 */
export const createEventRows = (
  { home, bus, now, redactor }: EventRowsPorts,
  session: { id: string; host: HostName; folder: string },
): EventRows => {
  const path = eventLogPath(home, 'tool-activity')
  let reporter: 'unknown' | 'hooks' | 'driver' = 'unknown'
  let held: Array<() => void> = []
  let finding: Promise<void> | undefined
  const isOurs = (row: { session_id?: unknown }): boolean => row.session_id === session.id

  const isOfHook = (row: { session_id?: unknown; source?: unknown; driver?: unknown }): boolean =>
    isOurs(row) && row.source === 'tool-activity' && row.driver !== DRIVER
  const decide = (found: 'hooks' | 'driver'): void => {
    if (reporter !== 'hooks') reporter = found
    const due = reporter === 'driver' ? held : []
    held = []
    for (const append of due) append()
  }
  const unsubscribe = bus.subscribe('events.arrived', ({ events }) => {
    if (events.some(isOfHook)) decide('hooks')
  })

  /** Once at a time: an assistant reports faster than the log is read. */
  const findReporter = (): Promise<void> => {
    finding ??= readTail(path, { rows: TAIL_ROWS })
      .then(({ rows }) => decide(rows.some(({ row }) => isOfHook(row)) ? 'hooks' : 'driver'))
      .finally(() => {
        finding = undefined
      })
    return finding
  }

  const rowOf = (type: RowType, fields: JsonObject): (() => void) => {
    const source = type === 'tool_failure' ? 'tool-failure' : 'tool-activity'
    const row = {
      timestamp: new Date(now()).toISOString(),
      event: type,
      source,
      type,
      session_id: session.id,
      host: session.host,
      agent_id: null,
      cwd: session.folder,
      driver: DRIVER,
      ...fields,
    }
    return () => {
      appendLogRow(eventLogPath(home, source), row)
    }
  }
  const write = (type: RowType, fields: JsonObject): void => {
    const append = rowOf(type, fields)
    if (reporter === 'driver') append()
    if (reporter === 'unknown') held.push(append)
  }
  const clip = (value: unknown, chars: number): string =>
    createClipText(redactor())(value ?? '', chars)

  return {
    started: (startSource) => rowOf('session_start', { start_source: startSource })(),
    prompted: (prompt) => write('user_prompt', { prompt: clip(prompt, PROMPT_CHARS) }),
    recovered: async (prompt, since) => {
      if (reporter === 'driver') return
      held = []
      const { rows } = await readTail(path, { rows: TAIL_ROWS })
      // The assistant may have reported the end of the turn when it lost its client.
      const isOfTurn = ({ timestamp }: { timestamp?: unknown }): boolean =>
        typeof timestamp === 'string' && timestamp >= since
      const turn = rows.map(({ row }) => row).filter((row) => isOurs(row) && isOfTurn(row))
      const head = clip(prompt, PROMPT_HEAD_CHARS)
      const isWritten = turn.some((row) => row.type === 'user_prompt' && isWith(row.prompt, head))
      if (!isWritten) rowOf('user_prompt', { prompt: clip(prompt, PROMPT_CHARS) })()
    },
    answered: () => (reporter === 'unknown' ? findReporter() : Promise.resolve()),
    used: (tool, input, error) => {
      const about = { tool_name: tool, tool_input_preview: clip(input, PREVIEW_CHARS) }
      if (error === undefined) write('tool_use', about)
      else write('tool_failure', { ...about, error })
    },
    ended: (message, error) =>
      error === undefined
        ? write('turn_end', { message_preview: clip(message, PREVIEW_CHARS) })
        : write('stop_failure', { error: clip(error, PREVIEW_CHARS) }),
    stop: unsubscribe,
  }
}
