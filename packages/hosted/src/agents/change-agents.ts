import { isDeepStrictEqual } from 'node:util'
import {
  type AgentBlueprint,
  applyAgentUpdate,
  type CreateAgentBody,
  findAgentFault,
  type HostedAgent,
  makeAgentBlueprint,
  StewardError,
  type UpdateAgentBody,
} from '@steward/contract'
import { knownId } from '../api/known-id.ts'
import { invalid } from '../api/refusal.ts'
import { execute, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { pinSkills } from '../skills/pin-skills.ts'
import { pinRoster } from './roster.ts'
import { getAgent, toHostedAgent } from './stored-agent.ts'

export function* createAgent(body: CreateAgentBody, nowMs: number): Tx<HostedAgent> {
  const id = createId('agent')
  const multiagent = yield* pinRoster(body.multiagent ?? null, { id, name: body.name })
  const blueprint = makeAgentBlueprint(body, multiagent)
  checkAgent(blueprint)
  yield* pinSkills(blueprint.skills)
  yield* execute('INSERT INTO agents (id, version, created_ms) VALUES ($1, 1, $2)', id, nowMs)
  yield* insertVersion(id, 1, blueprint, nowMs)
  return toHostedAgent(yield* getAgent(id))
}

/**
 * Creates a new version, because existing versions never change. An update without changes creates
 * none.
 */
export function* updateAgent(id: string, update: UpdateAgentBody, nowMs: number): Tx<HostedAgent> {
  yield* execute('SELECT id FROM agents WHERE id = $1 FOR UPDATE', knownId('agent', id))
  const agent = yield* getAgent(id)
  if (agent.archivedMs !== null) throw new StewardError('archived', { what: 'agent', name: id })
  if (update.version !== undefined && update.version !== agent.version)
    throw StewardError.restore(
      'version_conflict',
      `agent ${id} is at version ${agent.version}, not at ${update.version}`,
    )
  const owner = { id, name: update.name ?? agent.blueprint.name }
  const multiagent =
    update.multiagent === undefined
      ? agent.blueprint.multiagent
      : yield* pinRoster(update.multiagent, owner)
  const blueprint = applyAgentUpdate(agent.blueprint, update, multiagent)
  checkAgent(blueprint)
  // Skills that were deleted since must not block other changes.
  if (update.skills !== undefined) yield* pinSkills(blueprint.skills)
  if (isDeepStrictEqual(blueprint, agent.blueprint)) return toHostedAgent(agent)
  const version = agent.version + 1
  yield* insertVersion(id, version, blueprint, nowMs)
  yield* execute('UPDATE agents SET version = $2 WHERE id = $1', id, version)
  return toHostedAgent(yield* getAgent(id))
}

/** Blocks new sessions; running sessions continue. */
export function* archiveAgent(id: string, nowMs: number): Tx<HostedAgent> {
  yield* execute(
    'UPDATE agents SET archived_ms = COALESCE(archived_ms, $2) WHERE id = $1',
    knownId('agent', id),
    nowMs,
  )
  return toHostedAgent(yield* getAgent(id))
}

function* insertVersion(
  id: string,
  version: number,
  blueprint: AgentBlueprint,
  nowMs: number,
): Tx<void> {
  yield* execute(
    'INSERT INTO agent_versions (agent_id, version, body, created_ms) VALUES ($1, $2, $3, $4)',
    id,
    version,
    JSON.stringify(blueprint),
    nowMs,
  )
}

const checkAgent = (blueprint: AgentBlueprint): void => {
  const fault = findAgentFault(blueprint)
  if (fault !== undefined) throw invalid(fault.path, fault.message)
}
