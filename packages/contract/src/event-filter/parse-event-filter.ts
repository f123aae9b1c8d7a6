import type { EventSource, StewardEvent } from '../event.ts'

/** Without the schemas of `event.ts`, which a page would have to load. */
const EVENT_SOURCE_NAMES: readonly EventSource[] = [
  'tool-activity',
  'tool-failure',
  'voice',
  'subagent',
]

/** A parsed filter such as `source:tool-failure -tool:Bash since:10m "text"`. */
interface EventFilter {
  accepts: (event: StewardEvent, nowMs: number) => boolean
  /** What every accepted event has in common, to read fewer of them. */
  needs: { source?: EventSource; session?: string; forMs?: number }
  /** The parts of the text that are invalid, in words. */
  problems: readonly string[]
}

type Test = (event: StewardEvent, nowMs: number) => boolean

const UNITS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 }
const FILTER_KEYS = ['source', 'type', 'tool', 'session', 'host', 'agent', 'since'] as const

/** All words are required; `-` negates one; quotes keep spaces. */
export const parseEventFilter = (text: string): EventFilter => {
  const problems: string[] = []
  const tests: Test[] = []
  const needs: EventFilter['needs'] = {}
  for (const [, minus, key, quoted, bare] of text.matchAll(WORD)) {
    const value = (quoted ?? bare ?? '').toLowerCase()
    if (value === '') continue
    const test = key === undefined ? holds(value) : testOf(key.toLowerCase(), value, problems)
    if (test === undefined) continue
    if (minus === undefined) note(needs, key?.toLowerCase(), value)
    tests.push(minus === undefined ? test : (event, nowMs) => !test(event, nowMs))
  }
  return {
    accepts: (event, nowMs) => tests.every((test) => test(event, nowMs)),
    needs,
    problems,
  }
}

const note = (needs: EventFilter['needs'], key: string | undefined, value: string): void => {
  const source = EVENT_SOURCE_NAMES.find((name) => name === value)
  if (key === 'source' && source !== undefined) needs.source = source
  if (key === 'session') needs.session = value
  if (key === 'since')
    needs.forMs = Math.min(needs.forMs ?? Infinity, durationOf(value) ?? Infinity)
}

const WORD = /(-)?(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gi

const testOf = (key: string, value: string, problems: string[]): Test | undefined => {
  switch (key) {
    case 'source':
      return ({ source }) => source === value
    case 'type':
      return ({ type }) => type.toLowerCase().includes(value)
    case 'tool':
      return (event) => textOf(event.tool_name ?? event.tool).includes(value)
    case 'session':
      return ({ session_id }) => session_id.toLowerCase().startsWith(value)
    case 'host':
      return (event) => textOf(event.host) === value
    case 'agent':
      return (event) => textOf(event.subagent_type).includes(value)
    case 'since':
      return sinceOf(value, problems)
    default:
      problems.push(`“${key}:” is not known; there are ${FILTER_KEYS.join(', ')}`)
      return undefined
  }
}

const sinceOf = (value: string, problems: string[]): Test | undefined => {
  const length = durationOf(value)
  if (length === undefined) {
    problems.push(`“since:${value}” is not a duration; write 30s, 10m, 2h or 1d`)
    return undefined
  }
  return ({ timestamp }, nowMs) => nowMs - Date.parse(timestamp) <= length
}

const durationOf = (value: string): number | undefined => {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(value) ?? []
  const length = Number(count) * (UNITS[unit] ?? Number.NaN)
  return Number.isNaN(length) ? undefined : length
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

const seen = new WeakMap<StewardEvent, string>()

const holds =
  (value: string): Test =>
  (event) => {
    let text = seen.get(event)
    if (text === undefined) {
      text = JSON.stringify(event).toLowerCase()
      seen.set(event, text)
    }
    return text.includes(value)
  }
