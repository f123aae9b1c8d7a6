import {
  type DeploymentEvent,
  type DeploymentRun,
  PAUSING_ERRORS,
  type RunErrorType,
  type StewardError,
} from '@steward/contract'
import { attempt, execute, one, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { createSession, type SessionCaller, type SessionPorts } from '../sessions/create-session.ts'
import { tellWebhooks } from '../webhooks/tell-webhooks.ts'
import { newestDue, upcomingRuns } from './deployment-schedule.ts'
import {
  DEPLOYMENT_COLUMNS,
  type StoredDeployment,
  toStoredDeployment,
} from './stored-deployment.ts'
import { RUN_COLUMNS, toDeploymentRun } from './stored-run.ts'

interface Trigger {
  /** The due time of a scheduled run. */
  scheduledMs?: number
  /** The id of a webhook's delivery. */
  delivery?: string
  /** Follow the deployment's own events. */
  events?: readonly DeploymentEvent[]
}

/** Creates a session and records the run, or records why no session could be created. */
export function* runDeployment(
  stored: StoredDeployment,
  { scheduledMs, delivery, events = [] }: Trigger,
  ports: SessionPorts,
  caller: SessionCaller,
): Tx<DeploymentRun> {
  const { id: deployment_id, body } = stored
  const resources = body.resources.map(({ given, sealed_token }) =>
    given.type === 'github_repository' && sealed_token !== null
      ? {
          ...given,
          authorization_token: ports.seal.open(Buffer.from(sealed_token, 'base64'), deployment_id),
        }
      : given,
  )
  const made = yield* attempt(() =>
    createSession(
      {
        agent: body.agent,
        environment_id: body.environment_id,
        title: body.name,
        vault_ids: body.vault_ids,
        budget: body.budget,
        resources,
        initial_events: [...body.initial_events, ...events],
        deployment_id,
      },
      ports,
      caller,
    ),
  )
  const error = made.ok ? null : { type: errorTypeOf(made.error), message: made.error.message }
  const id = createId('drun')
  yield* execute(
    `INSERT INTO deployment_runs
       (id, deployment_id, trigger_type, scheduled_ms, delivery, session_id, body, created_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    id,
    deployment_id,
    scheduledMs === undefined ? 'manual' : 'schedule',
    scheduledMs ?? null,
    delivery ?? null,
    made.ok ? made.value.id : null,
    JSON.stringify({ agent: body.agent, error }),
    caller.nowMs,
  )
  yield* tellWebhooks('deployment_run.started', { id }, caller.nowMs)
  const end = made.ok ? 'deployment_run.succeeded' : 'deployment_run.failed'
  yield* tellWebhooks(end, { id }, caller.nowMs)
  const row = yield* one(`SELECT ${RUN_COLUMNS} FROM deployment_runs WHERE id = $1`, id)
  return toDeploymentRun(row ?? {})
}

/** The scheduler may use the vaults that an administrator gave the deployment. */
const SCHEDULER = { scope: 'admin' } as const

/**
 * Runs one deployment that is due and sets its next time, in one transaction: after a crash it is
 * due again, or has run. Undefined if none is due. Times that were missed while no server ran count
 * once.
 */
export function* runOneDue(ports: SessionPorts, nowMs: number): Tx<DeploymentRun | undefined> {
  const row = yield* one(
    `SELECT ${DEPLOYMENT_COLUMNS} FROM deployments WHERE next_ms <= $1 ORDER BY next_ms LIMIT 1
     FOR UPDATE SKIP LOCKED`,
    nowMs,
  )
  if (row === undefined) return undefined
  const stored = toStoredDeployment(row)
  const { body, next_ms } = stored
  if (body.schedule === null || next_ms === null) return undefined
  const scheduledMs = newestDue(body.schedule, next_ms, nowMs)
  const run = yield* runDeployment(stored, { scheduledMs }, ports, { key: SCHEDULER, nowMs })
  const pausing = PAUSING_ERRORS.find((type) => type === run.error?.type)
  const paused = pausing && ({ type: 'error', error: { type: pausing } } as const)
  yield* execute(
    `UPDATE deployments SET next_ms = $2, body = $3, status = $4, updated_ms = $5,
       last_run_ms = CASE WHEN $6 = 1 THEN $5 ELSE last_run_ms END WHERE id = $1`,
    stored.id,
    paused === undefined ? (upcomingRuns(body.schedule, nowMs, 1)[0] ?? null) : null,
    JSON.stringify(paused === undefined ? body : { ...body, paused_reason: paused }),
    paused === undefined ? 'active' : 'paused',
    nowMs,
    run.session_id === null ? 0 : 1,
  )
  if (paused !== undefined) yield* tellWebhooks('deployment.paused', { id: stored.id }, nowMs)
  return run
}

const ARCHIVED: Readonly<Record<string, RunErrorType>> = {
  agent: 'agent_archived_error',
  vault: 'vault_archived_error',
  'memory store': 'memory_store_archived_error',
}
const MISSING: Readonly<Record<string, RunErrorType>> = {
  environment: 'environment_not_found_error',
  vault: 'vault_not_found_error',
}
const INVALID: Readonly<Record<string, RunErrorType>> = {
  file_id: 'file_not_found_error',
  memory_store_id: 'session_resource_not_found_error',
  skills: 'skill_not_found_error',
}

const errorTypeOf = ({ code, details }: StewardError): RunErrorType => {
  const known = {
    environment_archived: 'environment_archived_error' as const,
    archived: ARCHIVED[String(details.what)],
    hosted_not_found: MISSING[String(details.kind)],
    invalid_input: INVALID[String(details.subject)],
  }
  const named = Object.entries(known).find(([name]) => name === code)
  return named?.[1] ?? 'session_creation_rejected_error'
}
