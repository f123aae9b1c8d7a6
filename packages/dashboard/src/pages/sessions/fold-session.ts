import type { SecurityEvent, SessionDetail, StewardEvent } from '@steward/contract'
import { actorOf, describeEvent } from '../events/describe-event.ts'
import { type EventRow, joinEvent, keyOf } from '../events/join-events.ts'
import { readCall, type ToolCall } from './read-call.ts'

/** One item of the timeline. */
export type SessionItem = { key: string; atMs: number } & (
  | { kind: 'prompt' | 'answer' | 'note'; text: string }
  | { kind: 'phase'; phase: string }
  | { kind: 'verdict'; event: SecurityEvent }
  | { kind: 'call'; call: ToolCall }
  | Lane
)

/** A subagent with the calls that it made. */
interface Lane {
  kind: 'agent'
  type: string
  task: string
  isRunning: boolean
  durationMs: number | undefined
  calls: ToolCall[]
}

interface Parts {
  /** In any order; the ones of one call become one item. */
  events: readonly StewardEvent[]
  work: SessionDetail['work']
  verdicts: readonly SecurityEvent[]
}

/** A session from its beginning to its end. */
export const foldSession = ({ events, work, verdicts }: Parts): SessionItem[] => {
  const rows = new Map<string, EventRow>()
  for (const event of events) {
    const key = keyOf(event)
    rows.set(key, joinEvent(rows.get(key), key, event))
  }
  const lanes = new Map<string, SessionItem & Lane>()
  for (const row of rows.values()) {
    if (row.event.source === 'subagent') lanes.set(row.key, laneOf(row))
  }
  const ordered = [...rows.values()].toSorted((one, other) => one.atMs - other.atMs)
  const items = ordered.flatMap((row): SessionItem[] => {
    const { key, event, atMs } = row
    if (event.source === 'subagent') return []
    if (typeof event.tool_name === 'string' && event.source !== 'voice' && !isAsking(event)) {
      const call = readCall(row)
      const lane = lanes.get(`agent ${event.agent_id}`)
      if (lane === undefined) return [{ kind: 'call', key, atMs, call }]
      lane.calls.push(call)
      return []
    }
    return itemOf(row)
  })
  const phases = work.flatMap(({ phaseHistory }) =>
    phaseHistory.map(({ phase, startedAt }): SessionItem => {
      return { kind: 'phase', key: `phase ${startedAt} ${phase}`, atMs: startedAt, phase }
    }),
  )
  const judged = verdicts
    .filter(({ verdict, rule }) => verdict !== 'pass' || rule === 'answer')
    .map((event): SessionItem => {
      return {
        kind: 'verdict',
        key: `verdict ${event.id}`,
        atMs: Date.parse(event.timestamp),
        event,
      }
    })
  return [...items, ...lanes.values(), ...phases, ...judged].toSorted(
    (one, other) => one.atMs - other.atMs,
  )
}

const isAsking = ({ type }: StewardEvent): boolean => type === 'permission_request'

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

const laneOf = ({ key, events, event, durationMs }: EventRow): SessionItem & Lane => {
  const [first = event] = events
  return {
    kind: 'agent',
    key,
    atMs: Date.parse(first.timestamp) || 0,
    type: textOf(first.subagent_type) || 'Subagent',
    task: textOf(first.description),
    isRunning: !events.some(({ type }) => type === 'subagent_stop'),
    durationMs,
    calls: [],
  }
}

const itemOf = ({ key, event, atMs }: EventRow): SessionItem[] => {
  if (event.type === 'user_prompt') {
    return [{ kind: 'prompt', key, atMs, text: textOf(event.prompt) }]
  }
  const said = textOf(event.message_preview)
  if ((event.type === 'turn_end' || event.type === 'stop') && said !== '') {
    return [{ kind: 'answer', key, atMs, text: said }]
  }
  const about = describeEvent(event)
  const actor = isAsking(event)
    ? `Asked for permission: ${textOf(event.tool_name)}`
    : actorOf(event)
  return [{ kind: 'note', key, atMs, text: about === '' ? actor : `${actor}: ${about}` }]
}
