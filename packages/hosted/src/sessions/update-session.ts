import { isDeepStrictEqual } from 'node:util'
import {
  type AgentSnapshot,
  applyMetadataPatch,
  findAgentFault,
  findMetadataFault,
  type HostedSession,
  resolveTools,
  type SessionBudget,
  StewardError,
  type UpdateSessionBody,
} from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { isOverBudget } from '../brain/cost/session-cost.ts'
import { announce, execute, type Tx } from '../database/tx.ts'
import { appendEvents } from '../log/append-events.ts'
import type { SessionBody } from '../log/session-body.ts'
import { listChildren, type StoredSession, writeSessionBody } from '../log/stored-session.ts'
import { checkVaultScope } from '../vaults/check-vaults.ts'
import { notBudgetable, type SessionCaller, type SessionPorts } from './create-session.ts'
import { getSession, toHostedSession } from './hosted-session.ts'

type Changed = Partial<Pick<SessionBody, 'title' | 'metadata' | 'agent' | 'budget'>>

/** Changes a session from its next turn on, and logs the change. */
export function* updateSession(
  id: string,
  update: UpdateSessionBody,
  { isPriced }: Pick<SessionPorts, 'isPriced'>,
  { key, nowMs }: SessionCaller,
): Tx<HostedSession> {
  const session = yield* getSession(id, 'hold')
  if (session.archivedMs !== null) throw new StewardError('archived', { what: 'session', name: id })
  if (update.agent !== undefined) checkVaultScope(key, session.body.vault_ids)
  const changed = withoutSame(session.body, {
    ...(update.title === undefined ? {} : { title: update.title }),
    ...changeMetadata(session, update.metadata),
    ...changeAgent(session, update.agent),
    ...(update.budget === undefined
      ? {}
      : { budget: changeBudget(session, update.budget, isPriced, nowMs) }),
  })
  if (Object.keys(changed).length === 0) return toHostedSession(session, nowMs)
  yield* writeSessionBody(id, { ...session.body, ...changed }, nowMs)
  // A higher budget may let a stopped session continue.
  const wakes = changed.budget !== undefined
  yield* appendEvents(id, [{ type: 'session.updated', body: changed }], { nowMs, wakes })
  if (wakes) yield* wakeThreads(id)
  return toHostedSession(yield* getSession(id), nowMs)
}

/** Threads share the budget of their session. */
function* wakeThreads(id: string): Tx<void> {
  for (const thread of yield* listChildren(id)) {
    if (thread.archivedMs !== null) continue
    yield* execute('UPDATE sessions SET awake = 1, wake_ms = NULL WHERE id = $1', thread.id)
    yield* announce({ sessionId: thread.id, news: { type: 'appended', seq: thread.lastSeq } })
  }
}

const withoutSame = (before: SessionBody, given: Changed): Changed => {
  const changed = { ...given }
  if (isDeepStrictEqual(changed.title, before.title)) delete changed.title
  if (isDeepStrictEqual(changed.metadata, before.metadata)) delete changed.metadata
  if (isDeepStrictEqual(changed.agent, before.agent)) delete changed.agent
  if (isDeepStrictEqual(changed.budget, before.budget)) delete changed.budget
  return changed
}

const changeMetadata = (
  { body }: StoredSession,
  patch: UpdateSessionBody['metadata'],
): Pick<Changed, 'metadata'> => {
  if (patch === undefined) return {}
  const metadata = applyMetadataPatch(body.metadata, patch)
  const fault = findMetadataFault(metadata)
  if (fault !== undefined) throw invalid('metadata', fault, 'invalid_metadata')
  return { metadata }
}

const changeAgent = (
  { id, body, summary }: StoredSession,
  update: UpdateSessionBody['agent'],
): Pick<Changed, 'agent'> => {
  if (update === undefined) return {}
  if (summary.status === 'running')
    throw new StewardError('session_running', {
      session: id,
      reason: 'its agent can only be changed between turns',
    })
  const { tools, mcp_servers } = update
  const agent: AgentSnapshot = {
    ...body.agent,
    ...(tools === undefined ? {} : { tools: resolveTools(tools) }),
    ...(mcp_servers === undefined ? {} : { mcp_servers }),
  }
  const fault = findAgentFault(agent)
  if (fault !== undefined) throw invalid(`agent.${fault.path}`, fault.message)
  return { agent }
}

/** A budget is set when the session is created; later it can only be raised or removed. */
const changeBudget = (
  { body, summary }: StoredSession,
  budget: SessionBudget | null,
  isPriced: (model: string) => boolean,
  nowMs: number,
): SessionBudget | null => {
  if (summary.status === 'terminated') throw invalid('budget', 'the session has ended')
  if (budget === null) return null
  if (body.budget === null)
    throw invalid('budget', 'the session was created without one', 'budget_create_only')
  if (!isPriced(body.agent.model.id)) throw notBudgetable(body.agent)
  if (isOverBudget(summary, budget, nowMs))
    throw invalid('budget', 'the session has already cost as much', 'budget_not_raised')
  return budget
}
