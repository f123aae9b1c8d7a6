import { readFile } from 'node:fs/promises'
import {
  isJsonObject,
  type JsonObject,
  parseJson,
  SECURITY_EVENT_TYPE_OF,
  type SecurityEvent,
  StewardError,
  VERDICTS,
  type Verdict,
} from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { parseLine } from '../logs/parse-line.ts'
import { readTail } from '../logs/read-tail.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { storageErrorOf } from '../storage-error.ts'
import { listSecurityFiles, type SecurityHome, type SecurityLogFile } from './security-log-files.ts'

export interface SecurityEventsQuery {
  limit: number
  /** The `id` of the last event of the previous page. */
  before?: string
}

export interface SecurityEventsPage {
  /** Newest first. */
  events: SecurityEvent[]
  /** Whether older ones exist. */
  more: boolean
}

/**
 * Events of the log, newest first, including those of predecessors. Only the needed days are read.
 */
export const readSecurityEvents = async (
  home: SecurityHome,
  { limit, before }: SecurityEventsQuery,
  redactor: Pick<Redactor, 'redactText'>,
): Promise<SecurityEventsPage> => {
  const found: SecurityEvent[] = []
  const cursor = before === undefined ? undefined : parseCursor(before)
  let isPast = cursor === undefined
  for (const [month, files] of monthsBackwards(home)) {
    if (cursor !== undefined && month > cursor.month) continue
    for (const part of partsBackwards(files)) {
      const events = await readPart(part, isPast ? limit + 1 : undefined)
      const at = isPast ? -1 : events.findIndex(({ id }) => id === before)
      if (!isPast && at === -1) continue
      isPast = true
      for (const event of events.slice(at + 1, at + 2 + limit)) found.push(event)
      if (found.length > limit) break
    }
    if (found.length > limit) break
  }
  if (!isPast) throw notFound(before)
  const events = found.slice(0, limit).map((event) => cleanEvent(event, redactor))
  return { events, more: found.length > limit }
}

/**
 * Rows were masked when written; values that became secrets since, and foreign rows, are masked
 * here.
 */
const cleanEvent = (
  event: SecurityEvent,
  redactor: Pick<Redactor, 'redactText'>,
): SecurityEvent => {
  const clean = (text: string) => redactor.redactText(text).value
  return {
    ...event,
    session_id: clean(event.session_id),
    host: clean(event.host),
    tool: clean(event.tool),
    rule: clean(event.rule),
    reason: clean(event.reason),
    target: clean(event.target),
  }
}

/** All events of one file as written, oldest first. Undefined if the file was removed. */
export const readSecurityFile = async (file: SecurityLogFile): Promise<SecurityEvent[]> => {
  let text: string
  try {
    text = await readFile(file.path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw storageErrorOf(file.path, thrown, 'it cannot be read')
  }
  return rowsOf(text, file).flatMap((row, index) => toEvent(row, file, index) ?? [])
}

const monthOf = (name: string): string => name.slice(0, '0000/00'.length)

const monthsBackwards = (home: SecurityHome): Array<[string, SecurityLogFile[]]> =>
  [...Map.groupBy(listSecurityFiles(home), ({ name }) => monthOf(name))].reverse()

/** The chain's files day by day; predecessors' files per month, because they have no days. */
const partsBackwards = (files: readonly SecurityLogFile[]): SecurityLogFile[][] =>
  files.every(({ chained }) => chained) ? files.toReversed().map((file) => [file]) : [[...files]]

/** Newest first; at most `newest` if that saves reading the rest. */
const readPart = async (
  files: readonly SecurityLogFile[],
  newest: number | undefined,
): Promise<SecurityEvent[]> => {
  const [only] = files
  if (newest !== undefined && files.length === 1 && only?.chained === true) {
    const { rows } = await readTail(only.path, { rows: newest })
    return rows.flatMap(({ row }, index) => toEvent(row, only, index) ?? []).reverse()
  }
  const events: SecurityEvent[] = []
  for (const file of files) events.push(...(await readSecurityFile(file)))
  events.reverse()
  if (files.length === 1) return events
  return events.sort((a, b) => instantOf(b) - instantOf(a))
}

const instantOf = ({ timestamp }: SecurityEvent): number => Date.parse(timestamp) || 0

/** Rows, one per line; or the single object in a predecessor's file. */
const rowsOf = (text: string, { chained }: SecurityLogFile): JsonObject[] => {
  const lines = text.split('\n').flatMap((line) => {
    const parsed = parseLine(Buffer.from(line))
    return parsed.kind === 'row' ? [parsed.row] : []
  })
  if (lines.length > 0 || chained) return lines
  const whole = parseJson(text, 'a security event')
  return whole.ok && isJsonObject(whole.value) ? [whole.value] : []
}

const VERDICT_OF: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ...VERDICTS.map((verdict) => [verdict, verdict] as const),
  ['block', 'deny'],
  ['injection_detected', 'deny'],
  ['confirm', 'ask'],
  ['stop_failure', 'alert'],
  ['allow', 'pass'],
])

/** Types of version 5 that name the finding; its hooks either block the call or only report it. */
const FINDINGS = new Set<unknown>(['injection', 'exfiltration'])

const verdictOf = (type: unknown, action: string): Verdict | undefined => {
  if (!FINDINGS.has(type)) return VERDICT_OF.get(type)
  return /\bblock/i.test(action) ? 'deny' : 'alert'
}

const toEvent = (
  row: JsonObject,
  file: SecurityLogFile,
  index: number,
): SecurityEvent | undefined => {
  // Version 5 of the predecessor writes its fields in camel case.
  const type = row.event_type ?? row.eventType
  const text = (...names: string[]): string => {
    const name = names.find((each) => typeof row[each] === 'string')
    return name === undefined ? '' : String(row[name])
  }
  const action = text('action_taken', 'actionTaken')
  const verdict = VERDICT_OF.get(row.verdict) ?? verdictOf(type, action)
  if (verdict === undefined) return undefined
  const seq = typeof row.seq === 'number' && row.seq > 0 ? Math.floor(row.seq) : undefined
  return {
    id: `${monthOf(file.name)}:${file.chained && seq !== undefined ? seq : `${file.name.slice('0000/00/'.length)}:${index}`}`,
    timestamp: text('timestamp'),
    session_id: text('session_id', 'sessionId'),
    host: text('host'),
    tool: text('tool'),
    verdict,
    event_type: text('event_type', 'eventType') || SECURITY_EVENT_TYPE_OF[verdict],
    rule: text('rule', 'pattern_matched', 'patternMatched', 'findingId'),
    reason: text('reason'),
    target: text('target'),
    shadow: row.shadow === true,
    category: text('category') || categoryOf(text('tool')),
    action_taken: action || ACTION_OF[verdict],
    ...(seq === undefined ? {} : { seq }),
  }
}

const FILE_TOOLS = /^(?:Read|Write|Edit|MultiEdit|NotebookEdit|Glob|Grep)$/

/** What their dashboards group events by. */
const categoryOf = (tool: string): string => {
  if (tool === 'prompt' || tool === 'UserPrompt') return 'prompt'
  return FILE_TOOLS.test(tool) ? 'path_access' : 'bash_command'
}

const ACTION_OF: Readonly<Record<Verdict, string>> = {
  deny: 'blocked',
  ask: 'asked',
  alert: 'logged',
  pass: 'allowed',
}

const CURSOR = /^(?<month>\d{4}\/\d{2}):./

const parseCursor = (before: string): { month: string } => {
  const month = CURSOR.exec(before)?.groups?.month
  if (month === undefined) throw notFound(before)
  return { month }
}

const notFound = (before: string | undefined): StewardError =>
  new StewardError('invalid_input', {
    subject: 'before',
    field: 'before',
    reason: `there is no event ${before}; use the id of the last event of a page`,
  })
