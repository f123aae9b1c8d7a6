import { CONTINUE_REQUEST, type SessionStatus, type StewardEvent } from '@steward/contract'
import { type Database, findTrivia, proposeSessionName } from '@steward/platform'
import { noteFacets } from './sum-index.ts'

export interface FoundRow {
  event: StewardEvent
  atMs: number
  start: number
  end: number
}

/** Counts rows into their sessions: names, times, counts and states. Returns the numbers of the sessions. */
export const applyRows = (
  database: Database,
  rows: readonly FoundRow[],
): ReadonlyMap<string, number> => {
  const sessions = new Map<string, SessionChange>()
  for (const { event, atMs } of rows) {
    const change = sessions.get(event.session_id) ?? noChange(event.session_id, atMs)
    sessions.set(event.session_id, change)
    collect(change, event, atMs)
  }
  return new Map([...sessions.values()].map((change) => [change.id, store(database, change)]))
}

/** What the rows of one chunk change about a session. */
interface SessionChange {
  id: string
  startedMs: number
  lastMs: number
  counts: Record<Counted, number>
  host: string
  project: string | null
  name: string
  prompt: string | null
  model: string | null
  startSource: string | null
  lastMessage: string | null
  status: { status: IndexedStatus; atMs: number } | undefined
}

/** `inactive` follows from the time of the last row. */
type IndexedStatus = Exclude<SessionStatus, 'inactive'>

type Counted = 'prompts' | 'tool_calls' | 'failures' | 'subagents'
const COUNTED: Readonly<Record<string, Counted>> = {
  user_prompt: 'prompts',
  tool_use: 'tool_calls',
  tool_failure: 'failures',
  'tool-failure': 'failures',
  subagent_start: 'subagents',
}

const noChange = (id: string, atMs: number): SessionChange => ({
  id,
  startedMs: atMs,
  lastMs: atMs,
  counts: { prompts: 0, tool_calls: 0, failures: 0, subagents: 0 },
  host: '',
  project: null,
  name: '',
  prompt: null,
  model: null,
  startSource: null,
  lastMessage: null,
  status: undefined,
})

const collect = (change: SessionChange, event: StewardEvent, atMs: number): void => {
  change.startedMs = Math.min(change.startedMs, atMs)
  change.lastMs = Math.max(change.lastMs, atMs)
  const { type } = event
  const counted = Object.hasOwn(COUNTED, type) ? COUNTED[type] : undefined
  if (counted !== undefined && !isContinueRequest(event)) change.counts[counted] += 1
  // Subagents and announcements say nothing about the session itself.
  if (typeof event.agent_id === 'string' || !OWN_SOURCES.has(event.source)) return
  if (change.host === '') change.host = textOf(event.host) ?? ''
  if (type === 'user_prompt' && !isContinueRequest(event))
    nameBy(change, textOf(event.prompt) ?? '')
  change.project ??= textOf(event.cwd) ?? null
  change.model = textOf(event.model) ?? change.model
  change.startSource ??= textOf(event.start_source) ?? null
  change.lastMessage = textOf(event.message_preview) ?? change.lastMessage
  const status = statusAfter(event)
  // Rows do not arrive in the order of their times.
  if (status !== undefined && (change.status === undefined || change.status.atMs <= atMs)) {
    change.status = { status, atMs }
  }
}

/** A rating or thanks does not say what a session is about. */
const nameBy = (change: SessionChange, prompt: string): void => {
  if (findTrivia(prompt) !== undefined) return
  if (change.name === '') change.name = proposeSessionName(prompt) ?? ''
  change.prompt ??= prompt.trim().slice(0, PROMPT_CHARS)
}

/** As much of a prompt as a list shows. */
const PROMPT_CHARS = 300

/** Hooks report it like a prompt of the person. */
const isContinueRequest = ({ type, prompt }: StewardEvent): boolean =>
  type === 'user_prompt' && textOf(prompt)?.startsWith(CONTINUE_REQUEST) === true

/** Returns the session's number. */
const store = (database: Database, change: SessionChange): number => {
  const { id, startedMs, lastMs, counts, host, project, name, prompt, model } = change
  const stored = database
    .statement(
      `INSERT INTO sessions (id, started_ms, last_ms, host, project, name, prompt, model, start_source,
           last_message, prompts, tool_calls, failures, subagents)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET
           started_ms = min(started_ms, excluded.started_ms),
           last_ms = max(last_ms, excluded.last_ms),
           host = CASE host WHEN '' THEN excluded.host ELSE host END,
           project = coalesce(project, excluded.project),
           name = CASE name WHEN '' THEN excluded.name ELSE name END,
           prompt = coalesce(prompt, excluded.prompt),
           model = coalesce(excluded.model, model),
           start_source = coalesce(start_source, excluded.start_source),
           last_message = coalesce(excluded.last_message, last_message),
           prompts = prompts + excluded.prompts, tool_calls = tool_calls + excluded.tool_calls,
           failures = failures + excluded.failures, subagents = subagents + excluded.subagents
         RETURNING number, host, project, last_ms`,
    )
    .get(
      ...[id, startedMs, lastMs, host, project, name, prompt, model, change.startSource],
      ...[change.lastMessage, counts.prompts, counts.tool_calls, counts.failures],
      counts.subagents,
    )
  const number = Number(stored?.number)
  noteFacets(database, {
    host: String(stored?.host),
    project: typeof stored?.project === 'string' ? stored.project : null,
    lastMs: Number(stored?.last_ms),
  })
  if (change.status !== undefined) {
    const { status, atMs } = change.status
    database
      .statement(
        `UPDATE sessions SET status = ?2, status_ms = ?3, ended_ms = ?4
         WHERE number = ?1 AND status_ms <= ?3`,
      )
      .run(number, status, atMs, status === 'ended' ? atMs : null)
  }
  return number
}

const OWN_SOURCES: ReadonlySet<string> = new Set(['tool-activity', 'tool-failure'])

const statusAfter = (event: StewardEvent): IndexedStatus | undefined => {
  switch (event.type) {
    case 'turn_end':
    case 'stop':
      return Number(event.background_tasks) > 0 ? 'working' : 'idle'
    case 'stop_failure':
      return 'failed'
    case 'session_end':
      return 'ended'
    case 'permission_request':
      return 'waiting'
    case 'notification':
      return event.notification_type === 'idle_prompt' ? undefined : 'waiting'
    case 'session_start':
      return 'idle'
    default:
      return 'working'
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
