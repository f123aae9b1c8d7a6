import { z } from 'zod'
import { WEBHOOK_SCHEMES } from '../../flow-source.ts'
import {
  createDeploymentBody,
  deployment,
  deploymentRun,
  RUN_TRIGGERS,
  updateDeploymentBody,
} from '../deployment.ts'
import { hostedId } from '../instant.ts'
import { createdRange, includeArchived, pageOf, pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const params = z.object({ deployment_id: hostedId })
const ITEM = '/v1/deployments/:deployment_id'
const WEBHOOK = '/v1/steward/deployments/:deployment_id/webhook'

export const hostedDeploymentRoutes = {
  createDeployment: defineHostedRoute({
    method: 'POST',
    path: '/v1/deployments',
    summary: 'Creates a deployment: an agent with its environment, first events and schedule.',
    family: 'agents',
    scope: 'write',
    body: createDeploymentBody,
    answer: deployment,
    errors: ['not_found', 'archived'],
  }),
  listDeployments: defineHostedRoute({
    method: 'GET',
    path: '/v1/deployments',
    summary: 'Deployments, newest first.',
    family: 'agents',
    scope: 'read',
    query: z.object({
      ...pageQuery,
      agent_id: hostedId.optional(),
      status: z.enum(['active', 'paused']).optional(),
      created_at: createdRange,
      include_archived: includeArchived,
    }),
    answer: pageOf(deployment),
  }),
  getDeployment: defineHostedRoute({
    method: 'GET',
    path: ITEM,
    summary: 'One deployment.',
    family: 'agents',
    scope: 'read',
    params,
    answer: deployment,
    errors: ['not_found'],
  }),
  updateDeployment: defineHostedRoute({
    method: 'POST',
    path: ITEM,
    summary: 'Changes a deployment; applies to later runs.',
    family: 'agents',
    scope: 'write',
    params,
    body: updateDeploymentBody,
    answer: deployment,
    errors: ['not_found', 'archived'],
  }),
  archiveDeployment: defineHostedRoute({
    method: 'POST',
    path: `${ITEM}/archive`,
    summary: 'Archives a deployment: it does not run any more.',
    family: 'agents',
    scope: 'write',
    params,
    answer: deployment,
    errors: ['not_found'],
  }),
  pauseDeployment: defineHostedRoute({
    method: 'POST',
    path: `${ITEM}/pause`,
    summary: 'Pauses the schedule; manual runs still work.',
    family: 'agents',
    scope: 'write',
    params,
    answer: deployment,
    errors: ['not_found', 'archived'],
  }),
  unpauseDeployment: defineHostedRoute({
    method: 'POST',
    path: `${ITEM}/unpause`,
    summary: 'Continues the schedule with its next time.',
    family: 'agents',
    scope: 'write',
    params,
    answer: deployment,
    errors: ['not_found', 'archived'],
  }),
  runDeployment: defineHostedRoute({
    method: 'POST',
    path: `${ITEM}/run`,
    summary: 'Runs a deployment now.',
    family: 'agents',
    scope: 'write',
    params,
    answer: deploymentRun,
    errors: ['not_found', 'archived'],
  }),
  listDeploymentRuns: defineHostedRoute({
    method: 'GET',
    path: '/v1/deployment_runs',
    summary: 'Runs of deployments, newest first.',
    family: 'agents',
    scope: 'read',
    query: z.object({
      ...pageQuery,
      deployment_id: hostedId.optional(),
      has_error: z.stringbool().optional(),
      trigger_type: z.enum(RUN_TRIGGERS).optional(),
      created_at: createdRange,
    }),
    answer: pageOf(deploymentRun),
  }),
  getDeploymentRun: defineHostedRoute({
    method: 'GET',
    path: '/v1/deployment_runs/:deployment_run_id',
    summary: 'One run of a deployment.',
    family: 'agents',
    scope: 'read',
    params: z.object({ deployment_run_id: hostedId }),
    answer: deploymentRun,
    errors: ['not_found'],
  }),
  createDeploymentWebhook: defineHostedRoute({
    method: 'POST',
    path: WEBHOOK,
    summary:
      'Lets signed requests to `/webhooks/deployments/{id}` run a deployment. The secret is returned once and replaces an earlier one. Not part of the vendor API.',
    family: 'agents',
    scope: 'admin',
    params,
    body: z.strictObject({
      scheme: z.enum(WEBHOOK_SCHEMES).default('standard'),
      /** The secret of a sender that chooses it itself; by default a new one. */
      secret: z.string().min(8).max(512).optional(),
    }),
    answer: z.object({
      type: z.literal('deployment_webhook'),
      deployment_id: hostedId,
      path: z.string(),
      scheme: z.enum(WEBHOOK_SCHEMES),
      secret: z.string(),
    }),
    errors: ['not_found', 'archived'],
  }),
  deleteDeploymentWebhook: defineHostedRoute({
    method: 'DELETE',
    path: WEBHOOK,
    summary: 'Ends runs by webhook. Not part of the vendor API.',
    family: 'agents',
    scope: 'admin',
    params,
    answer: z.object({ type: z.literal('deployment_webhook_deleted'), deployment_id: hostedId }),
    errors: ['not_found'],
  }),
}
