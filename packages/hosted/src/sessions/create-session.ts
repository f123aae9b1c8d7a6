import {
  type ClientEvent,
  type CreateSessionBody,
  type HostedSession,
  StewardError,
  type ThreadAgent,
} from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { execute, type Tx } from '../database/tx.ts'
import { getEnvironment } from '../environments/stored-environment.ts'
import { checkFiles } from '../files/check-files.ts'
import { createId } from '../ids/create-id.ts'
import type { StoredKey } from '../keys/key.ts'
import type { SessionBody } from '../log/session-body.ts'
import { EMPTY_SUMMARY } from '../log/summary.ts'
import { checkVaultScope, checkVaults } from '../vaults/check-vaults.ts'
import type { Seal } from '../vaults/seal.ts'
import { tellWebhooks } from '../webhooks/tell-webhooks.ts'
import { offerWork } from '../work/offer-work.ts'
import { checkEvents } from './check-events.ts'
import { getSession, toHostedSession } from './hosted-session.ts'
import { makeResources } from './make-resources.ts'
import { resolveAgent } from './resolve-agent.ts'
import { takeEvents } from './take-events.ts'

export interface SessionPorts {
  seal: Seal
  /** Whether a model has a list price: budgets cannot limit models without a known price. */
  isPriced: (model: string) => boolean
}

/** Who creates or changes a session, and when. */
export interface SessionCaller {
  key: Pick<StoredKey, 'scope'>
  nowMs: number
}

/** What a session is created with; a deployment may also send a system message. */
type WantedSession = Omit<CreateSessionBody, 'initial_events'> & {
  initial_events?: readonly ClientEvent[] | null | undefined
  deployment_id?: string
}

/** Creates a session together with its first events, all or nothing. */
export function* createSession(
  wanted: WantedSession,
  { seal, isPriced }: SessionPorts,
  { key, nowMs }: SessionCaller,
): Tx<HostedSession> {
  checkVaultScope(key, wanted.vault_ids ?? [])
  const { agent, skills, rosterSkills } = yield* resolveAgent(wanted.agent)
  const environment = yield* getEnvironment(wanted.environment_id)
  if (environment.archivedMs !== null)
    throw new StewardError('environment_archived', { name: environment.id })
  const resources = wanted.resources ?? []
  yield* checkFiles(
    resources.flatMap((resource) => (resource.type === 'file' ? [resource.file_id] : [])),
    nowMs,
  )
  yield* checkVaults(wanted.vault_ids ?? [])
  const unpriced = [agent, ...(agent.multiagent?.agents ?? [])].find(
    ({ model }) => !isPriced(model.id),
  )
  if (wanted.budget && unpriced !== undefined) throw notBudgetable(unpriced)
  const body: SessionBody = {
    agent,
    environment: environment.blueprint.config,
    title: wanted.title ?? null,
    metadata: wanted.metadata ?? {},
    thread_id: createId('sthr'),
    resources: yield* makeResources(resources, seal, nowMs),
    vault_ids: [...new Set(wanted.vault_ids ?? [])],
    budget: wanted.budget ?? null,
    outcome_evaluations: [],
    skills,
    roster_skills: rosterSkills,
    session_id: null,
  }
  const id = createId('sesn')
  yield* execute(
    `INSERT INTO sessions
       (id, agent_id, agent_version, environment_id, body, summary, status, created_ms, updated_ms, deployment_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
    id,
    agent.id,
    agent.version,
    environment.id,
    JSON.stringify(body),
    JSON.stringify(EMPTY_SUMMARY),
    EMPTY_SUMMARY.status,
    nowMs,
    wanted.deployment_id ?? null,
  )
  const session = yield* getSession(id)
  const events = wanted.initial_events ?? []
  if (events.length > 0) {
    yield* checkEvents(session, events, nowMs)
    yield* takeEvents(session, events, nowMs)
  }
  yield* offerWork(session, nowMs)
  yield* tellWebhooks('session.created', { id }, nowMs)
  return toHostedSession(yield* getSession(id), nowMs)
}

export const notBudgetable = (agent: ThreadAgent): StewardError =>
  invalid('budget', `the model ${agent.model.id} has no list price`, 'model_not_budgetable')
