import {
  type AgentBlueprint,
  type AgentMultiagent,
  agentMakeup,
  type HostedAgent,
  type ThreadAgent,
} from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

/** One version of an agent, with the fields that all its versions share. */
export interface StoredAgent {
  id: string
  version: number
  newestVersion: number
  blueprint: AgentBlueprint
  createdMs: number
  versionMs: number
  archivedMs: number | null
}

const blueprint = z.object({ ...agentMakeup, metadata: z.record(z.string(), z.string()) })
const number = z.coerce.number()
const agentRow = z.object({
  id: z.string(),
  version: number,
  newest_version: number,
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(blueprint),
  created_ms: number,
  version_ms: number,
  archived_ms: number.nullable(),
})

/** Joins an agent with one of its versions; the `WHERE` clause selects which. */
export const SELECT_AGENT = `SELECT a.id AS id, v.version AS version, a.version AS newest_version,
    v.body AS body, a.created_ms AS created_ms, v.created_ms AS version_ms, a.archived_ms AS archived_ms
  FROM agents a JOIN agent_versions v ON v.agent_id = a.id`

export const toStoredAgent = (row: Row): StoredAgent => {
  const read = agentRow.parse(row)
  return {
    id: read.id,
    version: read.version,
    newestVersion: read.newest_version,
    blueprint: read.body,
    createdMs: read.created_ms,
    versionMs: read.version_ms,
    archivedMs: read.archived_ms,
  }
}

/** The agent at the given version, or at its newest version; throws 404 when it does not exist. */
export function* getAgent(id: string, version?: number): Tx<StoredAgent> {
  const row = yield* one(
    `${SELECT_AGENT} WHERE a.id = $1 AND v.version = COALESCE($2, a.version)`,
    knownId('agent', id),
    version ?? null,
  )
  if (row === undefined)
    throw notFound('agent', version === undefined ? id : `${id} at version ${version}`)
  return toStoredAgent(row)
}

export const toHostedAgent = (agent: StoredAgent): HostedAgent => ({
  id: agent.id,
  type: 'agent',
  version: agent.version,
  ...agent.blueprint,
  multiagent: withOwnVersion(agent),
  created_at: toInstant(agent.createdMs),
  updated_at: toInstant(agent.versionMs),
  archived_at: toInstantOrNull(agent.archivedMs),
})

const withOwnVersion = ({ id, version, blueprint: { multiagent } }: StoredAgent) =>
  multiagent && {
    ...multiagent,
    agents: multiagent.agents.map((entry): AgentMultiagent['agents'][number] =>
      entry.id === id ? { ...entry, version } : entry,
    ),
  }

/** The part of its agent that a thread stores. */
export const toThreadAgent = ({ id, version, blueprint: agent }: StoredAgent): ThreadAgent => {
  const { metadata: _, multiagent: __, ...makeup } = agent
  return { id, type: 'agent', version, ...makeup }
}
