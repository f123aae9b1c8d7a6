import { HOSTED_API } from '@steward/contract'
import { addRange } from '../api/add-range.ts'
import { changes, type Handler, reads } from '../api/handler.ts'
import { knownId } from '../api/known-id.ts'
import { readPage } from '../api/page.ts'
import { notFound } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import { one } from '../database/tx.ts'
import type { SessionPorts } from '../sessions/create-session.ts'
import {
  archiveDeployment,
  createDeployment,
  setPaused,
  updateDeployment,
} from './change-deployments.ts'
import { createWebhook, deleteWebhook } from './deployment-webhook.ts'
import { runDeployment } from './run-deployment.ts'
import {
  DEPLOYMENT_COLUMNS,
  getDeployment,
  holdOpenDeployment,
  toDeployment,
  toStoredDeployment,
} from './stored-deployment.ts'
import { RUN_COLUMNS, toDeploymentRun } from './stored-run.ts'

const TIME = { timeColumn: 'created_ms', timeName: 'created_ms', idColumn: 'id' }
const SOURCE = { ...TIME, select: `SELECT ${DEPLOYMENT_COLUMNS} FROM deployments` }
const RUNS = { ...TIME, select: `SELECT ${RUN_COLUMNS} FROM deployment_runs` }

export const createDeploymentHandlers = (ports: SessionPorts): readonly Handler[] => [
  changes(HOSTED_API.createDeployment, ({ body }, call) => createDeployment(body, ports, call)),
  changes(HOSTED_API.updateDeployment, ({ params, body }, call) =>
    updateDeployment(params.deployment_id, body, ports, call),
  ),
  changes(HOSTED_API.archiveDeployment, ({ params }, { nowMs }) =>
    archiveDeployment(params.deployment_id, nowMs),
  ),
  changes(HOSTED_API.pauseDeployment, ({ params }, { nowMs }) =>
    setPaused(params.deployment_id, { type: 'manual' }, nowMs),
  ),
  changes(HOSTED_API.unpauseDeployment, ({ params }, { nowMs }) =>
    setPaused(params.deployment_id, null, nowMs),
  ),
  changes(HOSTED_API.runDeployment, function* ({ params }, call) {
    return yield* runDeployment(yield* holdOpenDeployment(params.deployment_id), {}, ports, call)
  }),
  reads(HOSTED_API.getDeployment, function* ({ params }, { nowMs }) {
    return toDeployment(yield* getDeployment(params.deployment_id), nowMs)
  }),
  reads(HOSTED_API.listDeployments, function* ({ query }, { nowMs }) {
    const where = createWhere()
    if (!query.include_archived) where.add('archived_ms IS NULL')
    if (query.agent_id !== undefined) where.add('agent_id = ?', knownId('agent', query.agent_id))
    if (query.status !== undefined) where.add('status = ?', query.status)
    addRange(where, 'created_ms', query.created_at)
    const page = yield* readPage(SOURCE, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toDeployment(toStoredDeployment(row), nowMs)),
      next_page: page.next_page,
    }
  }),
  reads(HOSTED_API.listDeploymentRuns, function* ({ query }) {
    const where = createWhere()
    const { deployment_id, has_error, trigger_type } = query
    if (deployment_id !== undefined)
      where.add('deployment_id = ?', knownId('deployment', deployment_id))
    if (has_error !== undefined) where.add(`session_id IS ${has_error ? 'NULL' : 'NOT NULL'}`)
    if (trigger_type !== undefined) where.add('trigger_type = ?', trigger_type)
    addRange(where, 'created_ms', query.created_at)
    const page = yield* readPage(RUNS, where, { ...query, order: 'desc' })
    return { data: page.rows.map(toDeploymentRun), next_page: page.next_page }
  }),
  reads(HOSTED_API.getDeploymentRun, function* ({ params }) {
    const id = knownId('deployment run', params.deployment_run_id)
    const row = yield* one(`SELECT ${RUN_COLUMNS} FROM deployment_runs WHERE id = $1`, id)
    if (row === undefined) throw notFound('deployment run', id)
    return toDeploymentRun(row)
  }),
  changes(HOSTED_API.createDeploymentWebhook, ({ params, body }) =>
    createWebhook(params.deployment_id, body, ports.seal),
  ),
  changes(HOSTED_API.deleteDeploymentWebhook, ({ params }) => deleteWebhook(params.deployment_id)),
]
