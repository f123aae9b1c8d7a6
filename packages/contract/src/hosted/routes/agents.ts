import { z } from 'zod'
import { createAgentBody, hostedAgent, updateAgentBody } from '../agent.ts'
import { hostedId } from '../instant.ts'
import { createdRange, includeArchived, pageOf, pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const params = z.object({ agent_id: hostedId })

export const hostedAgentRoutes = {
  createAgent: defineHostedRoute({
    method: 'POST',
    path: '/v1/agents',
    summary: 'Creates an agent, version 1.',
    family: 'agents',
    scope: 'write',
    body: createAgentBody,
    answer: hostedAgent,
  }),
  listAgents: defineHostedRoute({
    method: 'GET',
    path: '/v1/agents',
    summary: 'Agents, newest first.',
    family: 'agents',
    scope: 'read',
    query: z.object({
      ...pageQuery,
      include_archived: includeArchived,
      created_at: createdRange,
    }),
    answer: pageOf(hostedAgent),
  }),
  getAgent: defineHostedRoute({
    method: 'GET',
    path: '/v1/agents/:agent_id',
    summary: 'One agent, in its current or a given version.',
    family: 'agents',
    scope: 'read',
    params,
    query: z.object({ version: z.coerce.number().int().positive().optional() }),
    answer: hostedAgent,
    errors: ['not_found'],
  }),
  updateAgent: defineHostedRoute({
    method: 'POST',
    path: '/v1/agents/:agent_id',
    summary: 'Updates an agent; a change creates its next version.',
    family: 'agents',
    scope: 'write',
    params,
    body: updateAgentBody,
    answer: hostedAgent,
    errors: ['not_found', 'archived', 'version_conflict'],
  }),
  archiveAgent: defineHostedRoute({
    method: 'POST',
    path: '/v1/agents/:agent_id/archive',
    summary: 'Archives an agent: no new session may use it.',
    family: 'agents',
    scope: 'write',
    params,
    answer: hostedAgent,
    errors: ['not_found'],
  }),
  listAgentVersions: defineHostedRoute({
    method: 'GET',
    path: '/v1/agents/:agent_id/versions',
    summary: 'The versions of an agent, newest first.',
    family: 'agents',
    scope: 'read',
    params,
    query: z.object(pageQuery),
    answer: pageOf(hostedAgent),
    errors: ['not_found'],
  }),
}
