import type { HostedSession, HostedThread } from '@steward/contract'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { costOfSession, usageOfSession, usageOfThread } from '../brain/cost/session-cost.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Tx } from '../database/tx.ts'
import { findSession, rootOf, type StoredSession } from '../log/stored-session.ts'

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

/** A row as a conversation: the primary thread of a session, or one that its coordinator began. */
export const toHostedThread = (
  row: StoredSession,
  primaryThread: string,
  nowMs: number,
): HostedThread => {
  const { multiagent: _, ...agent } = row.body.agent
  return {
    id: row.body.thread_id,
    type: 'session_thread',
    session_id: rootOf(row),
    parent_thread_id: row.parentId === null ? null : primaryThread,
    agent,
    status: row.summary.status,
    stats: { ...statsOf(row, nowMs), startup_seconds: 0 },
    usage: usageOfThread(row.summary, nowMs),
    workflow_run_id: null,
    created_at: toInstant(row.createdMs),
    updated_at: toInstant(row.updatedMs),
    archived_at: toInstantOrNull(row.archivedMs),
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
  if (session === undefined || session.parentId !== null) throw notFound('session', id)
  return session
}
