import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { createdRange, includeArchived, listOrder, pageBothWaysOf, pageQuery } from '../page.ts'
import {
  createSessionBody,
  HOSTED_SESSION_STATUSES,
  hostedSession,
  sessionDeleted,
  updateSessionBody,
} from '../session.ts'
import { defineHostedRoute, queryList } from './hosted-route.ts'

const params = z.object({ session_id: hostedId })

export const hostedSessionRoutes = {
  createSession: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Starts a session of an agent in an environment, with first events if given.',
    family: 'agents',
    scope: 'write',
    body: createSessionBody,
    answer: hostedSession,
    errors: ['not_found', 'environment_archived', 'archived'],
  }),
  listSessions: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions',
    summary: 'Sessions, newest first.',
    family: 'agents',
    scope: 'read',
    query: z.object({
      ...pageQuery,
      agent_id: hostedId.optional(),
      agent_version: z.coerce.number().int().positive().optional(),
      created_at: createdRange,
      deployment_id: hostedId.optional(),
      memory_store_id: hostedId.optional(),
      include_archived: includeArchived,
      order: listOrder.default('desc'),
      statuses: queryList(z.enum(HOSTED_SESSION_STATUSES)),
    }),
    answer: pageBothWaysOf(hostedSession),
  }),
  getHostedSession: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id',
    summary: 'One session.',
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    answer: hostedSession,
    errors: ['not_found'],
  }),
  updateSession: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id',
    summary: 'Updates title, metadata, budget, or the tools and servers of its agent.',
    family: 'agents',
    scope: 'write',
    params,
    body: updateSessionBody,
    answer: hostedSession,
    errors: ['not_found', 'archived', 'session_running'],
  }),
  archiveSession: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id/archive',
    summary: 'Archives a session: it can only be read.',
    family: 'agents',
    scope: 'write',
    params,
    answer: hostedSession,
    errors: ['not_found', 'session_running'],
  }),
  deleteSession: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/sessions/:session_id',
    summary: 'Deletes a session with its events and its sandbox; open streams end.',
    family: 'agents',
    scope: 'write',
    params,
    answer: sessionDeleted,
    errors: ['not_found', 'session_running'],
  }),
  wakeSession: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id/wake',
    summary:
      'Wakes the agent loop of a session without sending anything. Our addition: the vendor has no such call.',
    family: 'agents',
    scope: 'write',
    params,
    answer: hostedSession,
    errors: ['not_found', 'archived'],
  }),
}
