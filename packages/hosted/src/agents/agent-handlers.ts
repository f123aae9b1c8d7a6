import { HOSTED_API } from '@steward/contract'
import { addRange } from '../api/add-range.ts'
import { changes, type Handler, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { createWhere } from '../api/where.ts'
import { archiveAgent, createAgent, updateAgent } from './change-agents.ts'
import { getAgent, SELECT_AGENT, toHostedAgent, toStoredAgent } from './stored-agent.ts'

const NEWEST = {
  select: SELECT_AGENT,
  timeColumn: 'a.created_ms',
  timeName: 'created_ms',
  idColumn: 'a.id',
}
/** The version number breaks ties between versions created in the same millisecond. */
const VERSIONS = {
  select: SELECT_AGENT,
  timeColumn: 'v.version',
  timeName: 'version',
  idColumn: 'a.id',
}

export const agentHandlers: readonly Handler[] = [
  changes(HOSTED_API.createAgent, ({ body }, { nowMs }) => createAgent(body, nowMs)),
  changes(HOSTED_API.updateAgent, ({ params, body }, { nowMs }) =>
    updateAgent(params.agent_id, body, nowMs),
  ),
  changes(HOSTED_API.archiveAgent, ({ params }, { nowMs }) => archiveAgent(params.agent_id, nowMs)),
  reads(HOSTED_API.getAgent, function* ({ params, query }) {
    return toHostedAgent(yield* getAgent(params.agent_id, query.version))
  }),
  reads(HOSTED_API.listAgents, function* ({ query }) {
    const where = createWhere()
    where.add('v.version = a.version')
    if (!query.include_archived) where.add('a.archived_ms IS NULL')
    addRange(where, 'a.created_ms', query.created_at)
    const page = yield* readPage(NEWEST, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toHostedAgent(toStoredAgent(row))),
      next_page: page.next_page,
    }
  }),
  reads(HOSTED_API.listAgentVersions, function* ({ params, query }) {
    yield* getAgent(params.agent_id)
    const where = createWhere()
    where.add('v.agent_id = ?', params.agent_id)
    const page = yield* readPage(VERSIONS, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toHostedAgent(toStoredAgent(row))),
      next_page: page.next_page,
    }
  }),
]
