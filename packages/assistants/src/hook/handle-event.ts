import { resolve } from 'node:path'
import { type HostEvent, type Result, reasonOf } from '@steward/contract'
import {
  appendLogRow,
  endSession,
  eventLogPath,
  recordToolActivity,
  updateWorkState,
} from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import { countBackgroundTasks, firstTextOf, textOf } from '../payload/fields.ts'
import { type AgentLaunches, openAgentLaunches } from './agent-launches.ts'
import { buildRow, type LogEntry } from './build-row.ts'
import { buildSubagentRows } from './build-subagent-rows.ts'
import type { HookPorts } from './hook-ports.ts'

/** A session is in a tab from its start, and may move to another. */
const SHOWS_TAB: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])
const PUSH_LIMIT_MS = 3000
/** The assistant waits for these, and allows little more than a second at the end of a session. */
const WAITED_FOR: ReadonlySet<string> = new Set(['Stop', 'StopFailure', 'SessionEnd', 'PreToolUse'])
const WAITED_PUSH_LIMIT_MS = 700

/**
 * Handles one event. A failing step is reported and does not prevent the others. Rarely needed code
 * is loaded on demand, because an assistant waits for every tool call.
 */
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
  const completion = name === 'Stop' ? await import('./speak-completion.ts') : undefined
  const spoken = await attempt(() => completion?.completionLineOf(event, ports))
  const wrote = await attempt(() => writeRows(event, at, launches, ports, spoken))
  const changed = await attempt(() => changeWorkState(event, at.iso, ports))
  if (SHOWS_TAB.has(name)) {
    await attempt(async () => (await import('./record-tab.ts')).recordTab(event, ports))
  }
  if (name === 'Stop') {
    await attempt(() => launches.forget())
    // Until its background work has ended the session goes on; the daemon announces its end.
    const goesOn = countBackgroundTasks(event) ?? (launches.areRunning(at.ms) ? 1 : 0)
    if (spoken !== undefined && goesOn === 0) {
      await attempt(() => completion?.speakCompletion(spoken, event, ports))
    }
  }
  if (name === 'SessionEnd') await attempt(() => launches.forgetSession())
  if (ports.settings.targets.length === 0) return
  const limitMs = WAITED_FOR.has(name) ? WAITED_PUSH_LIMIT_MS : PUSH_LIMIT_MS
  const request = { events: wrote === true, state: changed === true, limitMs }
  await attempt(async () => (await import('./push-when-down.ts')).pushWhenDown(request, ports))
}

const momentOf = ({ timestamp }: HostEvent, startedAtMs: number): { iso: string; ms: number } => {
  const told = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  const ms = Number.isNaN(told) ? startedAtMs : told
  return { iso: new Date(ms).toISOString(), ms }
}

/** Returns whether anything was written. */
const writeRows = (
  event: HostEvent,
  at: { iso: string; ms: number },
  launches: AgentLaunches,
  ports: HookPorts,
  spoken: string | undefined,
): boolean => {
  const subagents = buildSubagentRows(event, at, launches, ports.clip)
  const own = buildRow(withCaller(event, at.ms, launches), at.iso, ports.clip, spoken)
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

/** An assistant without agent events waits for its agent, so calls meanwhile are the agent's. */
const withCaller = (event: HostEvent, nowMs: number, launches: AgentLaunches): HostEvent => {
  const isCall = /^PostToolUse/.test(event.hook_event_name) && event.tool_name !== 'Agent'
  const { haveEvents } = ASSISTANTS[event.host].subagents
  if (!isCall || haveEvents || event.agent_id !== undefined) return event
  const { agent_id, agent_type } = launches.findOnly(nowMs) ?? {}
  if (agent_id === undefined) return event
  return { ...event, agent_id, ...(agent_type === undefined ? {} : { agent_type }) }
}

/** Returns whether `work.json` was written. */
const changeWorkState = async (
  event: HostEvent,
  timestamp: string,
  ports: HookPorts,
): Promise<boolean> => {
  const { session_id: sessionUUID, hook_event_name: name } = event
  const { home } = ports
  if (name === 'UserPromptSubmit') {
    const { recordPersonPrompt } = await import('./record-person-prompt.ts')
    await recordPersonPrompt(event, timestamp, ports)
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
  const bumped = isWritten(await recordToolActivity(home, sessionUUID, ports), ports)
  const synced = name === 'PostToolUse' && (await syncWritten(event, ports))
  return bumped || synced
}

const syncWritten = async (event: HostEvent, ports: HookPorts): Promise<boolean> => {
  const files = writtenFiles(event)
  if (files.length === 0) return false
  const { syncSpecifications } = await import('./sync-specifications.ts')
  return syncSpecifications(files, event.session_id, ports)
}

const isWritten = (
  update: Result<{ written: boolean } | undefined>,
  { report }: HookPorts,
): boolean => {
  if (update.ok) return update.value?.written === true
  report(update.error.message)
  return false
}

const FILE_TOOLS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit'])
const PATCHED_FILE = /^\*\*\* (?:Add File|Update File|Move to): (.+)$/gm

/** Full paths of the files that a tool call wrote. */
const writtenFiles = (event: HostEvent): string[] => {
  const { tool_name = '', tool_input = {}, cwd = '/' } = event
  if (FILE_TOOLS.has(tool_name)) {
    const file = firstTextOf(tool_input, 'file_path', 'filePath')
    return file === undefined ? [] : [resolve(cwd, file)]
  }
  if (tool_name !== 'apply_patch') return []
  const patch = firstTextOf(tool_input, 'command', 'input', 'patch') ?? textOf(event, 'patch') ?? ''
  return [...patch.matchAll(PATCHED_FILE)].flatMap(([, file = '']) => resolve(cwd, file.trim()))
}
