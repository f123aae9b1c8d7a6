import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { pageOf, pageQuery } from '../page.ts'
import {
  fileResourceGiven,
  resourceDeleted,
  sessionResource,
  updateResourceBody,
} from '../resource.ts'
import { defineHostedRoute } from './hosted-route.ts'

const ofSession = z.object({ session_id: hostedId })
const params = z.object({ session_id: hostedId, resource_id: hostedId })

export const hostedResourceRoutes = {
  listResources: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/resources',
    summary: "The resources mounted into a session's sandbox.",
    family: 'agents',
    scope: 'read',
    params: ofSession,
    query: z.object(pageQuery),
    answer: pageOf(sessionResource),
    errors: ['not_found'],
  }),
  addResource: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id/resources',
    summary: 'Mounts another file.',
    family: 'agents',
    scope: 'write',
    params: ofSession,
    body: fileResourceGiven,
    answer: sessionResource,
    errors: ['not_found', 'archived'],
  }),
  getResource: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/resources/:resource_id',
    summary: 'One resource.',
    family: 'agents',
    scope: 'read',
    params,
    answer: sessionResource,
    errors: ['not_found'],
  }),
  updateResource: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id/resources/:resource_id',
    summary: "Replaces a repository's token.",
    family: 'agents',
    scope: 'write',
    params,
    body: updateResourceBody,
    answer: sessionResource,
    errors: ['not_found', 'archived'],
  }),
  deleteResource: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/sessions/:session_id/resources/:resource_id',
    summary: 'Removes a resource from the session.',
    family: 'agents',
    scope: 'write',
    params,
    answer: resourceDeleted,
    errors: ['not_found', 'archived'],
  }),
}
