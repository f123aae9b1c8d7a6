import {
  type AgentReference,
  type AgentSnapshot,
  type ClientEvent,
  type CreateSessionBody,
  findAgentFault,
  type HostedSession,
  resolveModel,
  resolveSkills,
  resolveTools,
  StewardError,
} from '@steward/contract'
import { getAgent, toSnapshot } from '../agents/stored-agent.ts'
import { invalid } from '../api/refusal.ts'
import { query, type Tx } from '../database/tx.ts'
import { getEnvironment } from '../environments/stored-environment.ts'
import { checkFiles } from '../files/check-files.ts'
import { createId } from '../ids/create-id.ts'
import type { StoredKey } from '../keys/key.ts'
import type { SessionBody } from '../log/session-body.ts'
import { EMPTY_SUMMARY } from '../log/summary.ts'
import { pinSkills } from '../skills/pin-skills.ts'
import { checkVaultScope, checkVaults } from '../vaults/check-vaults.ts'
import type { Seal } from '../vaults/seal.ts'
import { tellWebhooks } from '../webhooks/tell-webhooks.ts'
import { offerWork } from '../work/offer-work.ts'
import { checkEvents } from './check-events.ts'
import { getSession, toHostedSession } from './hosted-session.ts'
import { makeResources } from './make-resources.ts'
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
  const resolved = yield* resolveAgent(wanted.agent)
  const skills = yield* pinSkills(resolved.skills)
  const agent = { ...resolved, skills: skills.map(({ skill }) => skill) }
  const environment = yield* getEnvironment(wanted.environment_id)
  if (environment.archivedMs !== null)
    throw new StewardError('environment_archived', { name: environment.id })
  const resources = wanted.resources ?? []
  yield* checkFiles(
    resources.flatMap((resource) => (resource.type === 'file' ? [resource.file_id] : [])),
    nowMs,
  )
  yield* checkVaults(wanted.vault_ids ?? [])
  if (wanted.budget && !isPriced(agent.model.id)) throw notBudgetable(agent)
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
    skills: skills.map(({ skill, name, description }) => ({
      version: skill.version,
      name,
      description,
    })),
  }
  const id = createId('sesn')
  yield* query(
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

export const notBudgetable = (agent: AgentSnapshot): StewardError =>
  invalid('budget', `the model ${agent.model.id} has no list price`, 'model_not_budgetable')

function* resolveAgent(reference: AgentReference): Tx<AgentSnapshot> {
  const wanted = typeof reference === 'string' ? { id: reference } : reference
  const agent = yield* getAgent(wanted.id, 'version' in wanted ? wanted.version : undefined)
  if (agent.archivedMs !== null)
    throw new StewardError('archived', { what: 'agent', name: agent.id })
  const snapshot = toSnapshot(agent)
  if (typeof reference === 'string' || reference.type === 'agent') return snapshot
  const { model, system, tools, mcp_servers, skills } = reference
  const overridden: AgentSnapshot = {
    ...snapshot,
    ...(model === undefined ? {} : { model: resolveModel(model) }),
    ...(system === undefined ? {} : { system: system || null }),
    ...(tools === undefined ? {} : { tools: resolveTools(tools) }),
    ...(mcp_servers === undefined ? {} : { mcp_servers }),
    ...(skills === undefined ? {} : { skills: resolveSkills(skills) }),
  }
  const fault = findAgentFault(overridden)
  if (fault !== undefined) throw invalid(`agent.${fault.path}`, fault.message)
  return overridden
}
