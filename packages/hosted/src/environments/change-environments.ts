import {
  applyEnvironmentUpdate,
  type CreateEnvironmentBody,
  type EnvironmentBlueprint,
  type HostedEnvironment,
  makeEnvironmentBlueprint,
  StewardError,
  type UpdateEnvironmentBody,
  unwrap,
} from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { execute, one, type Tx } from '../database/tx.ts'
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
  const made = unwrap(makeEnvironmentBlueprint(body))
  checkName(made)
  const row = yield* one(
    `INSERT INTO environments (id, name, body, created_ms, updated_ms) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT DO NOTHING RETURNING ${ENVIRONMENT_COLUMNS}`,
    createId('env'),
    made.name,
    JSON.stringify(made),
    nowMs,
  )
  if (row === undefined) throw nameTaken(made)
  return toHostedEnvironment(toStoredEnvironment(row))
}

export function* updateEnvironment(
  id: string,
  update: UpdateEnvironmentBody,
  nowMs: number,
): Tx<HostedEnvironment> {
  const before = yield* getEnvironment(id, 'hold')
  if (before.archivedMs !== null) throw new StewardError('environment_archived', { name: id })
  const made = unwrap(applyEnvironmentUpdate(before.blueprint, update))
  checkName(made)
  const taken = yield* one(
    'SELECT id FROM environments WHERE name = $1 AND id <> $2 AND archived_ms IS NULL',
    made.name,
    id,
  )
  if (taken !== undefined) throw nameTaken(made)
  yield* execute(
    'UPDATE environments SET name = $2, body = $3, updated_ms = $4 WHERE id = $1',
    id,
    made.name,
    JSON.stringify(made),
    nowMs,
  )
  return toHostedEnvironment({ ...before, blueprint: made, updatedMs: nowMs })
}

/** Blocks new sessions; running sessions continue. */
export function* archiveEnvironment(id: string, nowMs: number): Tx<HostedEnvironment> {
  const before = yield* getEnvironment(id, 'hold')
  if (before.archivedMs !== null) return toHostedEnvironment(before)
  yield* execute(
    'UPDATE environments SET archived_ms = $2, updated_ms = $2 WHERE id = $1',
    id,
    nowMs,
  )
  return toHostedEnvironment({ ...before, archivedMs: nowMs, updatedMs: nowMs })
}

/** Deletes it with its queue and keys, unless a session still needs it. */
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
  yield* execute('DELETE FROM work WHERE environment_id = $1', id)
  yield* execute('DELETE FROM pollers WHERE environment_id = $1', id)
  yield* execute('DELETE FROM keys WHERE environment_id = $1', id)
  yield* execute('DELETE FROM environments WHERE id = $1', id)
  return { id, type: 'environment_deleted' }
}

const CONTROL = /\p{Cc}/u

const checkName = ({ name }: EnvironmentBlueprint): void => {
  if (CONTROL.test(name)) throw invalid('name', 'it has a control character')
}

const nameTaken = ({ name }: EnvironmentBlueprint): StewardError =>
  new StewardError('already_exists', { subject: `an environment named ${name}`, hint: '' })
