import { type DeploymentRun, deploymentRun } from '@steward/contract'
import { z } from 'zod'
import { toInstant } from '../database/instant.ts'
import type { Row } from '../database/row.ts'

const number = z.coerce.number()
const runRow = z.object({
  id: z.string(),
  deployment_id: z.string(),
  scheduled_ms: number.nullable(),
  session_id: z.string().nullable(),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(deploymentRun.pick({ agent: true, error: true })),
  created_ms: number,
})

export const RUN_COLUMNS = 'id, deployment_id, scheduled_ms, session_id, body, created_ms'

export const toDeploymentRun = (row: Row): DeploymentRun => {
  const { id, deployment_id, scheduled_ms, session_id, body, created_ms } = runRow.parse(row)
  return {
    id,
    type: 'deployment_run',
    deployment_id,
    ...body,
    session_id,
    trigger_context:
      scheduled_ms === null
        ? { type: 'manual' }
        : { type: 'schedule', scheduled_at: toInstant(scheduled_ms) },
    created_at: toInstant(created_ms),
  }
}
