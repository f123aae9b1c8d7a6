import type { FailedCommand } from '@steward/assistants'
import { reasonOf } from '@steward/contract'
import {
  appendLogRow,
  eventLogPath,
  type Home,
  type Redactor,
  readTail,
  type StartTimer,
} from '@steward/platform'
import type { Log } from '../../log/log.ts'

interface FailurePorts {
  home: Home
  log: Log
  redactor: () => Pick<Redactor, 'redactFields'>
  setTimer: StartTimer
}

export interface FailureRecorder {
  record: (host: string, failure: FailedCommand) => void
  /** Writes what still waits. */
  stop: () => Promise<void>
}

/** Where hooks are connected, they report a failed command at most this long after its record. */
export const HOOK_WAIT_MS = 5000
const TAIL_ROWS = 500

/** Writes event rows for failed commands that neither a hook nor a driver has reported. */
export const recordFailures = ({
  home,
  log,
  redactor,
  setTimer,
}: FailurePorts): FailureRecorder => {
  const path = eventLogPath(home, 'tool-failure')
  let waiting: Array<{ host: string; failure: FailedCommand }> = []
  let endTimer: (() => void) | undefined

  const write = async (): Promise<void> => {
    endTimer = undefined
    const due = waiting
    waiting = []
    if (due.length === 0) return
    try {
      const { rows } = await readTail(path, { rows: TAIL_ROWS })
      const reported = new Set(rows.map(({ row }) => `${row.session_id} ${row.tool_use_id}`))
      const driven = new Set(rows.flatMap(({ row }) => (row.driver ? [row.session_id] : [])))
      for (const { host, failure } of due) {
        const { id, session } = failure
        if (driven.has(session) || reported.has(`${session} ${id}`)) continue
        appendLogRow(path, redactor().redactFields(rowOf(host, failure)).value)
      }
    } catch (thrown) {
      log.warn(`a failed command was not recorded: ${reasonOf(thrown)}`)
    }
  }

  return {
    record: (host, failure) => {
      waiting.push({ host, failure })
      endTimer ??= setTimer(HOOK_WAIT_MS, () => void write())
    },
    stop: async () => {
      endTimer?.()
      await write()
    },
  }
}

const rowOf = (host: string, failure: FailedCommand) => {
  const { id, session, project, command, exitCode, atMs } = failure
  return {
    timestamp: new Date(atMs).toISOString(),
    event: 'tool_failure',
    source: 'tool-failure',
    type: 'tool_failure',
    session_id: session,
    host,
    ...(project === undefined ? {} : { cwd: project }),
    tool_name: 'Bash',
    tool_use_id: id,
    error: `exit code ${exitCode}`,
    tool_input_preview: command,
  }
}
