import {
  applyMetadataPatch,
  type CreateDeploymentBody,
  type Deployment,
  findMetadataFault,
  type PausedReason,
  type PinnableAgent,
  type ResourceGiven,
  StewardError,
  type UpdateDeploymentBody,
} from '@steward/contract'
import { getAgent } from '../agents/stored-agent.ts'
import { invalid } from '../api/refusal.ts'
import { execute, type Tx } from '../database/tx.ts'
import { getEnvironment } from '../environments/stored-environment.ts'
import { checkFiles } from '../files/check-files.ts'
import { createId } from '../ids/create-id.ts'
import type { SessionCaller, SessionPorts } from '../sessions/create-session.ts'
import { checkVaultScope, checkVaults } from '../vaults/check-vaults.ts'
import { checkSchedule, upcomingRuns } from './deployment-schedule.ts'
import {
  type DeploymentBody,
  getDeployment,
  holdOpenDeployment,
  type StoredDeployment,
  toDeployment,
} from './stored-deployment.ts'

export function* createDeployment(
  wanted: CreateDeploymentBody,
  ports: SessionPorts,
  caller: SessionCaller,
): Tx<Deployment> {
  const { nowMs } = caller
  const id = createId('depl')
  const body: DeploymentBody = {
    name: wanted.name,
    description: wanted.description || null,
    agent: yield* pinAgent(wanted.agent),
    environment_id: wanted.environment_id,
    initial_events: wanted.initial_events,
    resources: sealTokens(wanted.resources ?? [], id, ports),
    schedule: wanted.schedule ?? null,
    vault_ids: [...new Set(wanted.vault_ids ?? [])],
    budget: wanted.budget ?? null,
    metadata: wanted.metadata ?? {},
    paused_reason: null,
  }
  yield* check(body, ports, caller)
  yield* execute(
    `INSERT INTO deployments (id, agent_id, body, status, next_ms, created_ms, updated_ms)
     VALUES ($1, $2, $3, 'active', $4, $5, $5)`,
    id,
    body.agent.id,
    JSON.stringify(body),
    nextOf(body, nowMs),
    nowMs,
  )
  return toDeployment(yield* getDeployment(id), nowMs)
}

export function* updateDeployment(
  id: string,
  wanted: UpdateDeploymentBody,
  ports: SessionPorts,
  caller: SessionCaller,
): Tx<Deployment> {
  const stored = yield* holdOpenDeployment(id)
  const before = stored.body
  const metadata = applyMetadataPatch(before.metadata, wanted.metadata)
  const fault = findMetadataFault(metadata)
  if (fault !== undefined) throw invalid('metadata', fault, 'invalid_metadata')
  const { resources, vault_ids } = wanted
  const body: DeploymentBody = {
    ...before,
    name: wanted.name ?? before.name,
    description: wanted.description === undefined ? before.description : wanted.description || null,
    agent: wanted.agent === undefined ? before.agent : yield* pinAgent(wanted.agent),
    environment_id: wanted.environment_id ?? before.environment_id,
    initial_events: wanted.initial_events ?? before.initial_events,
    resources: resources === undefined ? before.resources : sealTokens(resources ?? [], id, ports),
    schedule: wanted.schedule === undefined ? before.schedule : wanted.schedule,
    vault_ids: vault_ids === undefined ? before.vault_ids : [...new Set(vault_ids ?? [])],
    budget: wanted.budget === undefined ? before.budget : wanted.budget,
    metadata,
  }
  yield* check(body, ports, caller)
  return yield* writeBody(stored, body, caller.nowMs, wanted.schedule !== undefined)
}

/** Pauses the schedule or lets it go on with its next time. */
export function* setPaused(id: string, reason: PausedReason | null, nowMs: number): Tx<Deployment> {
  const stored = yield* holdOpenDeployment(id)
  return yield* writeBody(stored, { ...stored.body, paused_reason: reason }, nowMs, true)
}

export function* archiveDeployment(id: string, nowMs: number): Tx<Deployment> {
  const stored = yield* getDeployment(id, 'hold')
  if (stored.archived_ms !== null) return toDeployment(stored, nowMs)
  const body: DeploymentBody = { ...stored.body, paused_reason: null }
  yield* execute(
    `UPDATE deployments SET body = $3, status = 'active', archived_ms = $2, updated_ms = $2,
       next_ms = NULL, webhook = NULL WHERE id = $1`,
    id,
    nowMs,
    JSON.stringify(body),
  )
  return toDeployment(yield* getDeployment(id), nowMs)
}

/** Writes the body; `reschedules` computes the next time from now. */
function* writeBody(
  { id, next_ms }: StoredDeployment,
  body: DeploymentBody,
  nowMs: number,
  reschedules: boolean,
): Tx<Deployment> {
  yield* execute(
    `UPDATE deployments SET agent_id = $2, body = $3, status = $4, next_ms = $5, updated_ms = $6
     WHERE id = $1`,
    id,
    body.agent.id,
    JSON.stringify(body),
    body.paused_reason === null ? 'active' : 'paused',
    reschedules ? nextOf(body, nowMs) : next_ms,
    nowMs,
  )
  return toDeployment(yield* getDeployment(id), nowMs)
}

const nextOf = ({ schedule, paused_reason }: DeploymentBody, nowMs: number): number | null =>
  schedule === null || paused_reason !== null ? null : (upcomingRuns(schedule, nowMs, 1)[0] ?? null)

/** The version of now, because a deployment runs the same agent until it is changed. */
function* pinAgent(wanted: PinnableAgent): Tx<DeploymentBody['agent']> {
  const { id, version } = typeof wanted === 'string' ? { id: wanted } : wanted
  const agent = yield* getAgent(id, version)
  if (agent.archivedMs !== null)
    throw new StewardError('archived', { what: 'agent', name: agent.id })
  return { id: agent.id, type: 'agent', version: agent.version }
}

/** What would let every run fail is refused now. */
function* check(
  body: DeploymentBody,
  { isPriced }: SessionPorts,
  { key, nowMs }: SessionCaller,
): Tx<void> {
  checkVaultScope(key, body.vault_ids)
  if (body.schedule !== null) checkSchedule(body.schedule)
  const environment = yield* getEnvironment(body.environment_id)
  if (environment.archivedMs !== null)
    throw new StewardError('environment_archived', { name: environment.id })
  yield* checkVaults(body.vault_ids)
  const files = body.resources.flatMap(({ given }) =>
    given.type === 'file' ? [given.file_id] : [],
  )
  yield* checkFiles(files, nowMs)
  if (body.budget === null) return
  const { blueprint } = yield* getAgent(body.agent.id, body.agent.version)
  if (!isPriced(blueprint.model.id))
    throw invalid(
      'budget',
      `the model ${blueprint.model.id} has no list price`,
      'model_not_budgetable',
    )
}

const sealTokens = (
  given: readonly ResourceGiven[],
  id: string,
  { seal }: SessionPorts,
): DeploymentBody['resources'] =>
  given.map((each) => {
    if (each.type !== 'github_repository') return { given: each, sealed_token: null }
    const { authorization_token: token, ...rest } = each
    const sealed = token === undefined ? null : Buffer.from(seal.close(token, id))
    return { given: rest, sealed_token: sealed?.toString('base64') ?? null }
  })
