import type {
  AlgorithmSession,
  PhaseHistoryEntry,
  SessionAgent,
  SubagentRun,
} from '@steward/contract'
import { activityOf, isStale } from './activity.ts'
import { modeOf, turnModeOf } from './lanes.ts'
import { parseMoment } from './moments.ts'
import type { EntryView } from './read-entry.ts'
import { isComplete, type Session } from './sessions.ts'
import { shownPath } from './specification/locate-specification.ts'
import type { ViewOptions } from './view-options.ts'

/** One session as a dashboard shows it. */
export const describeSession = (session: Session, options: ViewOptions): AlgorithmSession => {
  const { slug, view } = session
  const { nowMs, thresholds } = options
  const complete = isComplete(session)
  const stale = !complete && isStale(view, nowMs, thresholds)
  const agents = agentsOf(view, options.agents ?? [])
  const startedMs = view.startedMs ?? view.phaseHistory[0]?.startedAt ?? view.updatedMs ?? 0
  const completedAt = completedAtOf(session)
  const lastActivityAt = activityOf(view, nowMs)
  const prdPath = shownPath(view.specification)
  return {
    active: !complete && !stale,
    stale,
    sessionId: slug,
    ...(view.sessionUUID === undefined ? {} : { sessionUUID: view.sessionUUID }),
    taskDescription: view.sessionName ?? view.task ?? slug,
    rawTask: view.task ?? '',
    currentPhase: (view.phase ?? modeOf(view)).toUpperCase(),
    phaseStartedAt: view.phaseHistory.at(-1)?.startedAt ?? startedMs,
    algorithmStartedAt: startedMs,
    ...(completedAt === undefined ? {} : { completedAt }),
    effortLevel: capitalise(view.effort ?? (modeOf(view) === 'native' ? 'native' : 'standard')),
    mode: modeOf(view),
    currentMode: turnModeOf(view),
    modeHistory: view.modeHistory,
    criteria: view.criteria,
    progress: progressOf(view),
    phaseHistory: view.phaseHistory.map((row) => describePhase(row, view, agents)),
    agents,
    capabilities: view.capabilities,
    ...(prdPath === undefined ? {} : { prdPath }),
    ...(view.intent === undefined ? {} : { intent: view.intent }),
    ...(view.criteriaParseWarning === undefined
      ? {}
      : { criteriaParseWarning: view.criteriaParseWarning }),
    reworkCount: Math.max(0, view.iteration - 1),
    ratings: view.ratings,
    minimalCount: view.minimalCount,
    ...(lastActivityAt === undefined ? {} : { lastActivityAt }),
  }
}

/** When a complete session ended: at its last phase, or else its last change. */
export const completedAtOf = (session: Session): number | undefined => {
  if (!isComplete(session)) return undefined
  const { phaseHistory, updatedMs } = session.view
  const last = phaseHistory.at(-1)
  return last?.completedAt ?? last?.startedAt ?? updatedMs
}

const describePhase = (
  { phase, startedAt, completedAt, criteriaCount, agentCount, source }: PhaseHistoryEntry,
  view: EntryView,
  agents: readonly SessionAgent[],
): AlgorithmSession['phaseHistory'][number] => {
  const name = phase.toUpperCase()
  const isHere = (row: { phase?: string }) => row.phase?.toUpperCase() === name
  const created = view.criteria.filter(({ createdInPhase }) => isHere({ phase: createdInPhase }))
  return {
    phase: name,
    startedAt,
    ...(completedAt === undefined ? {} : { completedAt }),
    criteriaCount: criteriaCount ?? created.length,
    agentCount: Math.max(agentCount ?? 0, agents.filter(isHere).length),
    // Older programs use an old name for the specification's signal.
    source: source === 'prd' || source === undefined ? 'isa' : source,
  }
}

/** From the entry, or else counted. */
const progressOf = ({ progress, criteria }: EntryView): AlgorithmSession['progress'] => {
  const [, done, total] = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(progress ?? '') ?? []
  if (done !== undefined && total !== undefined) return { done: Number(done), total: Number(total) }
  const completed = criteria.filter(({ status }) => status === 'completed')
  return { done: completed.length, total: criteria.length }
}

const capitalise = (text: string): string => {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('').toLowerCase()
}

/** Agents of a session: those in its entry, then further ones from the event logs. */
const agentsOf = (view: EntryView, runs: readonly SubagentRun[]): SessionAgent[] => {
  const named = new Set(view.agents.map(({ name }) => name))
  const own = runs.filter(
    (run) => run.session_id === view.sessionUUID && run.session_id !== '' && isDuring(run, view),
  )
  const logged = own.map((run): SessionAgent => {
    const phase = phaseAt(view, parseMoment(run.startedAt))
    return {
      name: run.description || run.subagent_type || run.subagent_id,
      agentType: run.subagent_type,
      status: run.status,
      ...(run.description === '' ? {} : { task: run.description }),
      ...(phase === undefined ? {} : { phase }),
    }
  })
  return [...view.agents, ...logged.filter(({ name }) => !named.has(name))]
}

/** A host session may have several rows here; an agent belongs to the one active at the time. */
const isDuring = ({ startedAt }: SubagentRun, view: EntryView): boolean => {
  const atMs = parseMoment(startedAt)
  if (atMs === undefined) return true
  const fromMs = view.startedMs ?? 0
  const endMs = view.phase === 'complete' ? view.updatedMs : undefined
  // Some writers truncate times to seconds.
  return atMs >= fromMs - 1000 && (endMs === undefined || atMs <= endMs + 1000)
}

const phaseAt = (view: EntryView, atMs: number | undefined): string | undefined =>
  atMs === undefined
    ? undefined
    : view.phaseHistory.findLast(({ startedAt }) => startedAt <= atMs)?.phase.toUpperCase()
