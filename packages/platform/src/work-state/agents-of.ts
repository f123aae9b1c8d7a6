import type { SessionAgent, SubagentRun } from '@steward/contract'
import { parseMoment } from './moments.ts'
import type { EntryView } from './read-entry.ts'

/** Agents of a session: those its entry names, then those of the event logs that it does not. */
export const agentsOf = (view: EntryView, runs: readonly SubagentRun[]): SessionAgent[] => {
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

/** A host session may have had several rows here; an agent belongs to the one that was under way. */
const isDuring = ({ startedAt }: SubagentRun, view: EntryView): boolean => {
  const atMs = parseMoment(startedAt)
  if (atMs === undefined) return true
  const fromMs = view.startedMs ?? 0
  const endMs = view.phase === 'complete' ? view.updatedMs : undefined
  // Times in the file are cut to seconds by some writers.
  return atMs >= fromMs - 1000 && (endMs === undefined || atMs <= endMs + 1000)
}

const phaseAt = (view: EntryView, atMs: number | undefined): string | undefined =>
  atMs === undefined
    ? undefined
    : view.phaseHistory.findLast(({ startedAt }) => startedAt <= atMs)?.phase.toUpperCase()
