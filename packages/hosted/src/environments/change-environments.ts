import {
  applyEnvironmentUpdate,
  type CreateEnvironmentBody,
  type EnvironmentBlueprint,
  type HostedEnvironment,
  makeEnvironmentBlueprint,
  StewardError,
  type UpdateEnvironmentBody,
} from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { one, query, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import {
  ENVIRONMENT_COLUMNS,
  getEnvironment,
  toHostedEnvironment,
  toStoredEnvironment,
} from './stored-environment.ts'

export function* createEnvironment(
  body: CreateEnvironmentBody,
  nowMs: number,
): Tx<HostedEnvironment> {
  const made = makeEnvironmentBlueprint(body)
  if (!made.ok) throw made.error
  checkName(made.value)
  const row = yield* one(
    `INSERT INTO environments (id, name, body, created_ms, updated_ms) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT DO NOTHING RETURNING ${ENVIRONMENT_COLUMNS}`,
    createId('env'),
    made.value.name,
    JSON.stringify(made.value),
    nowMs,
  )
  if (row === undefined) throw nameTaken(made.value)
  return toHostedEnvironment(toStoredEnvironment(row))
}

export function* updateEnvironment(
  id: string,
  update: UpdateEnvironmentBody,
  nowMs: number,
): Tx<HostedEnvironment> {
  const before = yield* getEnvironment(id, 'hold')
  if (before.archivedMs !== null) throw new StewardError('environment_archived', { name: id })
  const made = applyEnvironmentUpdate(before.blueprint, update)
  if (!made.ok) throw made.error
  checkName(made.value)
  const taken = yield* one(
    'SELECT id FROM environments WHERE name = $1 AND id <> $2 AND archived_ms IS NULL',
    made.value.name,
    id,
  )
  if (taken !== undefined) throw nameTaken(made.value)
  yield* query(
    'UPDATE environments SET name = $2, body = $3, updated_ms = $4 WHERE id = $1',
    id,
    made.value.name,
    JSON.stringify(made.value),
    nowMs,
  )
  return toHostedEnvironment({ ...before, blueprint: made.value, updatedMs: nowMs })
}

/** No new session from now on; those that run go on. */
export function* archiveEnvironment(id: string, nowMs: number): Tx<HostedEnvironment> {
  const before = yield* getEnvironment(id, 'hold')
  if (before.archivedMs !== null) return toHostedEnvironment(before)
  yield* query('UPDATE environments SET archived_ms = $2, updated_ms = $2 WHERE id = $1', id, nowMs)
  return toHostedEnvironment({ ...before, archivedMs: nowMs, updatedMs: nowMs })
}

/** Goes with its queue and its keys, once no session needs it. */
export function* deleteEnvironment(id: string): Tx<{ id: string; type: 'environment_deleted' }> {
  yield* getEnvironment(id, 'hold')
  const user = yield* one(
    `SELECT id FROM sessions
     WHERE environment_id = $1 AND archived_ms IS NULL AND status <> 'terminated' LIMIT 1`,
    id,
  )
  if (user !== undefined)
    throw new StewardError('session_running', {
      session: String(user.id),
      reason: 'it uses the environment; archive or delete it first',
    })
  yield* query('DELETE FROM work WHERE environment_id = $1', id)
  yield* query('DELETE FROM pollers WHERE environment_id = $1', id)
  yield* query('DELETE FROM keys WHERE environment_id = $1', id)
  yield* query('DELETE FROM environments WHERE id = $1', id)
  return { id, type: 'environment_deleted' }
}

const CONTROL = /\p{Cc}/u

const checkName = ({ name }: EnvironmentBlueprint): void => {
  if (CONTROL.test(name)) throw invalid('name', 'it has a control character')
}

const nameTaken = ({ name }: EnvironmentBlueprint): StewardError =>
  new StewardError('already_exists', { subject: `an environment named ${name}`, hint: '' })
