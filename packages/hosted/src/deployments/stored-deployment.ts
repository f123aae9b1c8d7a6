import {
  type Deployment,
  deploymentMakeup,
  pausedReason,
  resourceGiven,
  StewardError,
  WEBHOOK_SCHEMES,
} from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'
import { upcomingRuns } from './deployment-schedule.ts'

/** A resource as given; the token of a repository is sealed and apart. */
const deploymentBody = z.object({
  ...deploymentMakeup,
  resources: z.array(z.object({ given: resourceGiven, sealed_token: z.string().nullable() })),
  schedule: z
    .object({ type: z.literal('cron'), expression: z.string(), timezone: z.string() })
    .nullable(),
  paused_reason: pausedReason.nullable(),
})
export type DeploymentBody = z.infer<typeof deploymentBody>

const number = z.coerce.number()
const json = z.string().transform((text): unknown => JSON.parse(text))
const deploymentRow = z.object({
  id: z.string(),
  body: json.pipe(deploymentBody),
  next_ms: number.nullable(),
  last_run_ms: number.nullable(),
  /** How signed requests that run it are checked. */
  webhook: json
    .pipe(z.object({ scheme: z.enum(WEBHOOK_SCHEMES), sealed_secret: z.string() }))
    .nullable(),
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})
/** One row of `deployments`. */
export type StoredDeployment = z.infer<typeof deploymentRow>

export const DEPLOYMENT_COLUMNS =
  'id, body, next_ms, last_run_ms, webhook, created_ms, updated_ms, archived_ms'

export const toStoredDeployment = (row: Row): StoredDeployment => deploymentRow.parse(row)

/** The deployment as clients see it. */
export const toDeployment = (
  { id, body, last_run_ms, created_ms, updated_ms, archived_ms }: StoredDeployment,
  nowMs: number,
): Deployment => {
  const { schedule, resources, ...rest } = body
  const upcoming = schedule === null || archived_ms !== null ? [] : upcomingRuns(schedule, nowMs)
  return {
    id,
    type: 'deployment',
    ...rest,
    resources: resources.map(({ given }) => {
      if (given.type !== 'github_repository') return given
      const { authorization_token: _, ...shown } = given
      return shown
    }),
    schedule: schedule && {
      ...schedule,
      last_run_at: toInstantOrNull(last_run_ms),
      upcoming_runs_at: upcoming.map(toInstant),
    },
    status: body.paused_reason === null ? 'active' : 'paused',
    created_at: toInstant(created_ms),
    updated_at: toInstant(updated_ms),
    archived_at: toInstantOrNull(archived_ms),
  }
}

/** The deployment; `hold` locks it until the transaction ends. Throws 404. */
export function* getDeployment(id: string, hold: 'hold' | 'look' = 'look'): Tx<StoredDeployment> {
  const row = yield* one(
    `SELECT ${DEPLOYMENT_COLUMNS} FROM deployments WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('deployment', id),
  )
  if (row === undefined) throw notFound('deployment', id)
  return toStoredDeployment(row)
}

/** The deployment, locked for a change that archiving forbids. */
export function* holdOpenDeployment(id: string): Tx<StoredDeployment> {
  const found = yield* getDeployment(id, 'hold')
  if (found.archived_ms !== null)
    throw new StewardError('archived', { what: 'deployment', name: found.id })
  return found
}
