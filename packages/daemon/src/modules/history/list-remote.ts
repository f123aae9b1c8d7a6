import type { SessionSummary } from '@steward/contract'
import {
  activityOf,
  DEFAULT_THRESHOLDS,
  type Home,
  isComplete,
  isStale,
  readPushedStates,
  sessionsOf,
  workStateIn,
} from '@steward/platform'

/** Sessions that other machines pushed. Their events stay there, so little is known of them. */
export const listRemote = async (
  home: Pick<Home, 'stateDir'>,
  nowMs: number,
): Promise<SessionSummary[]> => {
  const pushed = await readPushedStates(home)
  if (!pushed.ok) return []
  return Object.entries(pushed.value).flatMap(([machine, { document }]) =>
    sessionsOf(workStateIn(document)).map((session): SessionSummary => {
      const { slug, view } = session
      const lastMs = activityOf(view, nowMs) ?? view.startedMs ?? 0
      const lastActivityAt = new Date(lastMs).toISOString()
      const isDone = isComplete(session)
      return {
        id: view.sessionUUID ?? slug,
        name: view.sessionName ?? view.task ?? slug,
        prompt: view.task ?? null,
        host: '',
        machine: machine === '' ? 'another machine' : machine,
        project: null,
        status: isDone
          ? 'ended'
          : isStale(view, nowMs, DEFAULT_THRESHOLDS)
            ? 'inactive'
            : 'working',
        startedAt: new Date(view.startedMs ?? lastMs).toISOString(),
        lastActivityAt,
        endedAt: isDone ? lastActivityAt : null,
        startSource: null,
        model: null,
        prompts: 0,
        toolCalls: 0,
        failures: 0,
        subagents: view.agents.length,
        lastMessage: null,
        costUsd: null,
      }
    }),
  )
}
