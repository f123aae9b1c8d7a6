import { readFile } from 'node:fs/promises'
import {
  type Fields,
  isFields,
  parseJson,
  SECURITY_EVENT_TYPE_OF,
  type SecurityEvent,
  StewardError,
  VERDICTS,
  type Verdict,
} from '@steward/contract'
import { codeOf } from '../files/code-of.ts'
import { parseLine } from '../logs/parse-line.ts'
import { storageFault } from '../logs/storage-fault.ts'
import { hideSecretForms } from '../redaction/hide-secret-forms.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { listSecurityFiles, type SecurityHome, type SecurityLogFile } from './security-log-files.ts'

export interface SecurityEventsQuery {
  limit: number
  /** The `id` of the last event of the page before. */
  before?: string
}

export interface SecurityEventsPage {
  /** Newest first. */
  events: SecurityEvent[]
  /** Whether there are older ones. */
  more: boolean
}

/** Events of the log, newest first, those of predecessors among them. Only the months that are needed are read. */
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
    const events = await readMonth(files, redactor)
    if (!isPast) {
      const at = events.findIndex(({ id }) => id === before)
      if (at === -1) throw notFound(before)
      events.splice(0, at + 1)
      isPast = true
    }
    found.push(...events)
    if (found.length > limit) break
  }
  if (!isPast) throw notFound(before)
  return { events: found.slice(0, limit), more: found.length > limit }
}

/** All events of one file, oldest first. Nothing when the file is gone. */
export const readSecurityFile = async (
  file: SecurityLogFile,
  redactor: Pick<Redactor, 'redactText'>,
): Promise<SecurityEvent[]> => {
  let text: string
  try {
    text = await readFile(file.path, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw storageFault(file.path, 'it cannot be read', thrown)
  }
  const clean = (value: string) => hideSecretForms(redactor.redactText(value).value)
  return rowsOf(text, file).flatMap((row, index) => toEvent(row, file, index, clean) ?? [])
}

const monthOf = (name: string): string => name.slice(0, '0000/00'.length)

const monthsBackwards = (home: SecurityHome): Array<[string, SecurityLogFile[]]> =>
  [...Map.groupBy(listSecurityFiles(home), ({ name }) => monthOf(name))].reverse()

const readMonth = async (
  files: readonly SecurityLogFile[],
  redactor: Pick<Redactor, 'redactText'>,
): Promise<SecurityEvent[]> => {
  const chained: SecurityEvent[] = []
  const others: SecurityEvent[] = []
  for (const file of files) {
    ;(file.chained ? chained : others).push(...(await readSecurityFile(file, redactor)))
  }
  chained.reverse()
  if (others.length === 0) return chained
  return [...chained, ...others].sort((a, b) => instantOf(b) - instantOf(a))
}

const instantOf = ({ timestamp }: SecurityEvent): number => Date.parse(timestamp) || 0

/** Rows, one a line; or the one object that a file of a predecessor holds. */
const rowsOf = (text: string, { chained }: SecurityLogFile): Fields[] => {
  const lines = text.split('\n').flatMap((line) => {
    const parsed = parseLine(Buffer.from(line))
    return parsed.kind === 'row' ? [parsed.row] : []
  })
  if (lines.length > 0 || chained) return lines
  const whole = parseJson(text, 'a security event')
  return whole.ok && isFields(whole.value) ? [whole.value] : []
}

const VERDICT_OF: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ...VERDICTS.map((verdict) => [verdict, verdict] as const),
  ['block', 'deny'],
  ['injection_detected', 'deny'],
  ['confirm', 'ask'],
  ['stop_failure', 'alert'],
  ['allow', 'pass'],
])

const toEvent = (
  row: Fields,
  file: SecurityLogFile,
  index: number,
  clean: (text: string) => string,
): SecurityEvent | undefined => {
  const verdict = VERDICT_OF.get(row.verdict) ?? VERDICT_OF.get(row.event_type)
  if (verdict === undefined) return undefined
  const text = (...names: string[]): string => {
    const name = names.find((each) => typeof row[each] === 'string')
    return name === undefined ? '' : clean(String(row[name]))
  }
  const seq = typeof row.seq === 'number' && row.seq > 0 ? Math.floor(row.seq) : undefined
  return {
    id: `${monthOf(file.name)}:${file.chained && seq !== undefined ? seq : `${file.name.slice('0000/00/'.length)}:${index}`}`,
    timestamp: text('timestamp'),
    session_id: text('session_id'),
    host: text('host'),
    tool: text('tool'),
    verdict,
    event_type: text('event_type') || SECURITY_EVENT_TYPE_OF[verdict],
    rule: text('rule', 'pattern_matched'),
    reason: text('reason'),
    target: text('target'),
    shadow: row.shadow === true,
    ...(seq === undefined ? {} : { seq }),
  }
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
