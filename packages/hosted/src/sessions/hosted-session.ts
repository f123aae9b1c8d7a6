import type { HostedSession, HostedThread } from '@steward/contract'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { costOfSession, usageOfSession } from '../brain/cost/session-cost.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Tx } from '../database/tx.ts'
import { findSession, type StoredSession } from '../log/stored-session.ts'

/** The session as clients see it. */
export const toHostedSession = (session: StoredSession, nowMs: number): HostedSession => {
  const { body, summary } = session
  return {
    id: session.id,
    type: 'session',
    agent: body.agent,
    environment_id: session.environmentId,
    status: summary.status,
    title: body.title,
    metadata: body.metadata,
    resources: body.resources.map(({ resource }) => resource),
    vault_ids: body.vault_ids,
    outcome_evaluations: body.outcome_evaluations,
    stats: statsOf(session, nowMs),
    usage: usageOfSession(summary, nowMs),
    budget: body.budget,
    deployment_id: session.deploymentId,
    created_at: toInstant(session.createdMs),
    updated_at: toInstant(session.updatedMs),
    archived_at: toInstantOrNull(session.archivedMs),
  }
}

/** Every session has one thread, which is the session as a conversation. */
export const toHostedThread = (session: StoredSession, nowMs: number): HostedThread => {
  const { multiagent: _, ...agent } = session.body.agent
  const whole = toHostedSession(session, nowMs)
  return {
    id: session.body.thread_id,
    type: 'session_thread',
    session_id: session.id,
    parent_thread_id: null,
    agent,
    status: whole.status,
    stats: whole.stats,
    usage: whole.usage,
    workflow_run_id: null,
    created_at: whole.created_at,
    updated_at: whole.updated_at,
    archived_at: whole.archived_at,
  }
}

const statsOf = (
  { summary, createdMs, updatedMs }: StoredSession,
  nowMs: number,
): HostedSession['stats'] => ({
  active_seconds: costOfSession(summary, nowMs).activeMs / 1000,
  duration_seconds:
    Math.max(0, (summary.status === 'terminated' ? updatedMs : nowMs) - createdMs) / 1000,
})

/** The session; throws 404. */
export function* getSession(id: string, hold: 'hold' | 'look' = 'look'): Tx<StoredSession> {
  const session = yield* findSession(knownId('session', id), hold)
  if (session === undefined) throw notFound('session', id)
  return session
}
