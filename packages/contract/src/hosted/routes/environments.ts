import { z } from 'zod'
import {
  createEnvironmentBody,
  environmentDeleted,
  hostedEnvironment,
  updateEnvironmentBody,
} from '../environment.ts'
import { hostedId } from '../instant.ts'
import { includeArchived, pageOf, pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const params = z.object({ environment_id: hostedId })

export const hostedEnvironmentRoutes = {
  createEnvironment: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments',
    summary: 'Creates an environment with a unique name.',
    family: 'agents',
    scope: 'write',
    body: createEnvironmentBody,
    answer: hostedEnvironment,
    errors: ['already_exists'],
  }),
  listEnvironments: defineHostedRoute({
    method: 'GET',
    path: '/v1/environments',
    summary: 'Environments, newest first.',
    family: 'agents',
    scope: 'read',
    query: z.object({ ...pageQuery, include_archived: includeArchived }),
    answer: pageOf(hostedEnvironment),
  }),
  getEnvironment: defineHostedRoute({
    method: 'GET',
    path: '/v1/environments/:environment_id',
    summary: 'One environment.',
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    answer: hostedEnvironment,
    errors: ['not_found'],
  }),
  updateEnvironment: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments/:environment_id',
    summary: 'Updates an environment; applies to new sandboxes.',
    family: 'agents',
    scope: 'write',
    params,
    body: updateEnvironmentBody,
    answer: hostedEnvironment,
    errors: ['not_found', 'archived', 'already_exists'],
  }),
  deleteEnvironment: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/environments/:environment_id',
    summary: 'Deletes an environment that no session uses.',
    family: 'agents',
    scope: 'write',
    params,
    answer: environmentDeleted,
    errors: ['not_found', 'session_running'],
  }),
  archiveEnvironment: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments/:environment_id/archive',
    summary: 'Archives an environment: existing sessions continue, new ones are refused.',
    family: 'agents',
    scope: 'write',
    params,
    answer: hostedEnvironment,
    errors: ['not_found'],
  }),
}
