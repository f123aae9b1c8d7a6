import {
  type EnvironmentBlueprint,
  environmentConfig,
  type HostedEnvironment,
} from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

/** One row of `environments`. */
export interface StoredEnvironment {
  id: string
  blueprint: EnvironmentBlueprint
  createdMs: number
  updatedMs: number
  archivedMs: number | null
}

const blueprint = z.object({
  name: z.string(),
  description: z.string().nullable(),
  config: environmentConfig,
  metadata: z.record(z.string(), z.string()),
  scope: z.literal('organization'),
})
const number = z.coerce.number()
const environmentRow = z.object({
  id: z.string(),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(blueprint),
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})

export const ENVIRONMENT_COLUMNS = 'id, body, created_ms, updated_ms, archived_ms'

export const toStoredEnvironment = (row: Row): StoredEnvironment => {
  const read = environmentRow.parse(row)
  return {
    id: read.id,
    blueprint: read.body,
    createdMs: read.created_ms,
    updatedMs: read.updated_ms,
    archivedMs: read.archived_ms,
  }
}

/** The environment, locked until the transaction ends when it is about to change. */
export function* getEnvironment(id: string, hold: 'hold' | 'look' = 'look'): Tx<StoredEnvironment> {
  const row = yield* one(
    `SELECT ${ENVIRONMENT_COLUMNS} FROM environments WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('environment', id, 'environment_not_found'),
  )
  if (row === undefined) throw notFound('environment', id, 'environment_not_found')
  return toStoredEnvironment(row)
}

export const toHostedEnvironment = (environment: StoredEnvironment): HostedEnvironment => ({
  id: environment.id,
  type: 'environment',
  ...environment.blueprint,
  created_at: toInstant(environment.createdMs),
  updated_at: toInstant(environment.updatedMs),
  archived_at: toInstantOrNull(environment.archivedMs),
})
