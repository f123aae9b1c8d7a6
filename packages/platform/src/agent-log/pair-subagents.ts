import type { StewardEvent, SubagentRun } from '@steward/contract'
import { parseMoment } from '../work-state/moments.ts'

interface Agent {
  run: SubagentRun
  order: number
}

/**
 * Pairs subagent rows, newest first. A start and a stop match by `tool_use_id` or `subagent_id`; a
 * launch into the background, which is not a stop, links the two ids of one agent.
 */
export const pairSubagents = (events: readonly StewardEvent[]): SubagentRun[] => {
  const agents: Agent[] = []
  const byKey = new Map<string, Agent>()
  for (const event of inOrder(events)) {
    const keys = keysOf(event)
    const known = keys.map((key) => byKey.get(key)).find((agent) => agent !== undefined)
    // A stop without an id cannot be assigned to an agent.
    if (keys.length === 0 && isStop(event)) continue
    const agent = known ?? begin(event, agents.length)
    if (known === undefined) agents.push(agent)
    for (const key of keys) byKey.set(key, agent)
    agent.run = apply(agent.run, event)
  }
  return agents
    .toSorted((a, b) => startOf(b) - startOf(a) || b.order - a.order)
    .map(({ run }) => run)
}

const isStart = ({ type }: StewardEvent): boolean =>
  type === 'subagent_start' || type === 'subagent_spawned_async'

const isStop = ({ type }: StewardEvent): boolean => type === 'subagent_stop'

/** With equal times a start comes first; rows without a time stay at the front. */
const inOrder = (events: readonly StewardEvent[]): StewardEvent[] =>
  events
    .filter((event) => isStart(event) || isStop(event))
    .toSorted(
      (a, b) =>
        (parseMoment(a.timestamp) ?? 0) - (parseMoment(b.timestamp) ?? 0) ||
        Number(isStop(a)) - Number(isStop(b)),
    )

/** Scoped to one host session, because ids of two sessions may collide. */
const keysOf = (event: StewardEvent): string[] =>
  [event.tool_use_id, event.subagent_id, event.agent_id].flatMap((id) =>
    typeof id === 'string' && id !== '' ? [JSON.stringify([event.session_id, id])] : [],
  )

const begin = (event: StewardEvent, order: number): Agent => ({
  order,
  run: {
    subagent_id: '',
    subagent_type: '',
    description: '',
    session_id: event.session_id,
    status: 'running',
    startedAt: startBefore(event),
  },
})

const apply = (run: SubagentRun, event: StewardEvent): SubagentRun => {
  const named = {
    ...run,
    // The host's id of the agent is a better name than the id of the call.
    subagent_id: textOf(event.subagent_id) || run.subagent_id || textOf(event.tool_use_id),
    subagent_type: run.subagent_type || textOf(event.subagent_type),
    description: run.description || textOf(event.description),
  }
  if (event.type === 'subagent_spawned_async') return named
  if (isStop(event)) return stopped(named, event)
  if (run.status === 'running') return named
  // A start after a stop means that the agent was resumed.
  const { stoppedAt, duration_seconds, ...again } = named
  return { ...again, status: 'running', startedAt: event.timestamp }
}

const stopped = (run: SubagentRun, event: StewardEvent): SubagentRun => {
  const told = secondsOf(event)
  const startMs = parseMoment(run.startedAt)
  const stopMs = parseMoment(event.timestamp)
  const counted =
    startMs === undefined || stopMs === undefined
      ? undefined
      : Math.max(0, Math.round((stopMs - startMs) / 100) / 10)
  const duration = told ?? counted
  return {
    ...run,
    status: 'stopped',
    stoppedAt: event.timestamp,
    ...(duration === undefined ? {} : { duration_seconds: duration }),
  }
}

/** Without a start in the log, the start is computed from the stop and the duration. */
const startBefore = (event: StewardEvent): string => {
  const atMs = parseMoment(event.timestamp)
  const seconds = secondsOf(event)
  if (!isStop(event) || atMs === undefined || seconds === undefined) return event.timestamp
  return new Date(Math.max(0, atMs - seconds * 1000)).toISOString()
}

const secondsOf = ({ duration_seconds: told }: StewardEvent): number | undefined =>
  typeof told === 'number' && Number.isFinite(told) && told >= 0 ? told : undefined

const startOf = ({ run }: Agent): number => parseMoment(run.startedAt) ?? 0

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
