import type { HostEvent, Result } from '@steward/contract'
import { reasonOf } from '@steward/contract'
import {
  appendLogRow,
  endSession,
  eventLogPath,
  noteToolActivity,
  syncSpecificationFile,
  updateWorkState,
} from '@steward/platform'
import { type AgentLaunches, openAgentLaunches } from './agent-launches.ts'
import { buildRow, type LogEntry } from './build-row.ts'
import { buildSubagentRows } from './build-subagent-rows.ts'
import type { HookPorts } from './hook-ports.ts'
import { notePersonPrompt } from './note-person-prompt.ts'
import { noteTab } from './note-tab.ts'
import { pushWhenDown } from './push-when-down.ts'
import { speakCompletion } from './speak-completion.ts'
import { writtenFiles } from './written-files.ts'

/** A session is in a tab from its start on, and may go on in another. */
const SHOWS_TAB: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])
const PUSH_LIMIT_MS = 3000
/** The host waits for these, and gives the end of a session little more than a second. */
const WAITED_FOR: ReadonlySet<string> = new Set(['Stop', 'StopFailure', 'SessionEnd', 'PreToolUse'])
const WAITED_PUSH_LIMIT_MS = 700

/** All that one event means. A step that fails is reported and keeps none of the others from being done. */
export const handleEvent = async (event: HostEvent, ports: HookPorts): Promise<void> => {
  const { hook_event_name: name } = event
  const at = momentOf(event, ports.startedAtMs)
  const launches = openAgentLaunches(ports.home, event.session_id)
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (thrown) {
      ports.report(reasonOf(thrown))
      return undefined
    }
  }
  const wrote = await attempt(() => writeRows(event, at, launches, ports))
  const changed = await attempt(() => changeWorkState(event, at.iso, ports))
  if (SHOWS_TAB.has(name)) await attempt(() => noteTab(event, ports))
  if (name === 'Stop') {
    await attempt(() => launches.forget())
    await attempt(() => speakCompletion(event, ports))
  }
  if (name === 'SessionEnd') await attempt(() => launches.forgetSession())
  const limitMs = WAITED_FOR.has(name) ? WAITED_PUSH_LIMIT_MS : PUSH_LIMIT_MS
  const wish = { events: wrote === true, state: changed === true, limitMs }
  await attempt(() => pushWhenDown(wish, ports))
}

const momentOf = ({ timestamp }: HostEvent, startedAtMs: number): { iso: string; ms: number } => {
  const told = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  const ms = Number.isNaN(told) ? startedAtMs : told
  return { iso: new Date(ms).toISOString(), ms }
}

/** Gives back whether there was anything to write. */
const writeRows = (
  event: HostEvent,
  at: { iso: string; ms: number },
  launches: AgentLaunches,
  ports: HookPorts,
): boolean => {
  const subagents = buildSubagentRows(event, at, launches, ports.clip)
  const own = buildRow(event, at.iso, ports.clip)
  const entries: LogEntry[] = [
    ...(own === undefined ? [] : [own]),
    ...subagents.map((row) => ({ source: 'subagent' as const, row })),
  ]
  for (const { source, row } of entries) {
    const clean = ports.redactor.redactFields(row).value
    const { rotationError } = appendLogRow(eventLogPath(ports.home, source), clean)
    if (rotationError !== undefined) ports.report(rotationError.message)
  }
  return entries.length > 0
}

/** Gives back whether `work.json` was written. */
const changeWorkState = async (
  event: HostEvent,
  timestamp: string,
  ports: HookPorts,
): Promise<boolean> => {
  const { session_id: sessionUUID, hook_event_name: name } = event
  const { home } = ports
  if (name === 'UserPromptSubmit') {
    await notePersonPrompt(event, timestamp, ports)
    return true
  }
  if (sessionUUID === '') return false
  if (name === 'SessionStart') return true
  if (name === 'SessionEnd') {
    const ended = await updateWorkState(
      home,
      (state, nowMs) => endSession(state, sessionUUID, nowMs),
      ports,
    )
    return isWritten(ended, ports)
  }
  if (name !== 'PostToolUse' && name !== 'PostToolUseFailure') return false
  const bumped = isWritten(await noteToolActivity(home, sessionUUID, ports), ports)
  const synced = name === 'PostToolUse' && (await syncSpecifications(event, ports))
  return bumped || synced
}

const syncSpecifications = async (event: HostEvent, ports: HookPorts): Promise<boolean> => {
  let written = false
  for (const file of writtenFiles(event)) {
    const sync = { file, sessionUUID: event.session_id }
    const synced = await syncSpecificationFile(ports.home, sync, ports)
    if (isWritten(synced, ports)) written = true
    if (!synced.ok) continue
    for (const problem of synced.value?.outcome.problems ?? []) ports.report(`${file}: ${problem}`)
  }
  return written
}

const isWritten = (
  update: Result<{ written: boolean } | undefined>,
  { report }: HookPorts,
): boolean => {
  if (update.ok) return update.value?.written === true
  report(update.error.message)
  return false
}
