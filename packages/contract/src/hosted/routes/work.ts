import { z } from 'zod'
import { HOSTED_LIMITS } from '../hosted-limits.ts'
import { hostedId } from '../instant.ts'
import { pageOf, pageQuery } from '../page.ts'
import { stopWorkBody, updateWorkBody, workHeartbeat, workItem, workQueueStats } from '../work.ts'
import { defineHostedRoute } from './hosted-route.ts'

const ofEnvironment = z.object({ environment_id: hostedId })
const params = z.object({ environment_id: hostedId, work_id: hostedId })

export const hostedWorkRoutes = {
  listWork: defineHostedRoute({
    method: 'GET',
    path: '/v1/environments/:environment_id/work',
    summary: 'The work of a self-hosted environment.',
    family: 'agents',
    scope: 'environment',
    params: ofEnvironment,
    query: z.object(pageQuery),
    answer: pageOf(workItem),
    errors: ['not_found'],
  }),
  pollWork: defineHostedRoute({
    method: 'GET',
    path: '/v1/environments/:environment_id/work/poll',
    summary: 'The next work item; waits at most one second.',
    family: 'agents',
    scope: 'environment',
    params: ofEnvironment,
    query: z.object({
      block_ms: z.coerce.number().int().min(1).max(HOSTED_LIMITS.pollBlockMostMs).optional(),
      reclaim_older_than_ms: z.coerce
        .number()
        .int()
        .nonnegative()
        .default(HOSTED_LIMITS.pollReclaimDefaultMs),
    }),
    answer: workItem,
    mayBeEmpty: true,
    errors: ['not_found'],
  }),
  getWorkStats: defineHostedRoute({
    method: 'GET',
    path: '/v1/environments/:environment_id/work/stats',
    summary: 'The number of waiting work items and polling workers.',
    family: 'agents',
    scope: 'environment',
    params: ofEnvironment,
    answer: workQueueStats,
    errors: ['not_found'],
  }),
  getWork: defineHostedRoute({
    method: 'GET',
    path: '/v1/environments/:environment_id/work/:work_id',
    summary: 'One work item.',
    family: 'agents',
    scope: 'environment',
    worker: true,
    params,
    answer: workItem,
    errors: ['not_found'],
  }),
  updateWork: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments/:environment_id/work/:work_id',
    summary: 'Updates the metadata of a work item.',
    family: 'agents',
    scope: 'environment',
    worker: true,
    params,
    body: updateWorkBody,
    answer: workItem,
    errors: ['not_found'],
  }),
  ackWork: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments/:environment_id/work/:work_id/ack',
    summary: 'Acknowledges a work item and removes it from the queue.',
    family: 'agents',
    scope: 'environment',
    worker: true,
    params,
    answer: workItem,
    errors: ['not_found', 'work_conflict'],
  }),
  heartbeatWork: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments/:environment_id/work/:work_id/heartbeat',
    summary: 'Renews the lease of a work item.',
    family: 'agents',
    scope: 'environment',
    worker: true,
    params,
    query: z.object({
      /** `NO_HEARTBEAT` first, then the `last_heartbeat` of the previous answer. */
      expected_last_heartbeat: z.string().max(128).optional(),
      desired_ttl_seconds: z.coerce
        .number()
        .int()
        .min(1)
        .max(HOSTED_LIMITS.heartbeatTtlMostSeconds)
        .default(HOSTED_LIMITS.heartbeatTtlDefaultSeconds),
    }),
    answer: workHeartbeat,
    errors: ['not_found', 'heartbeat_mismatch'],
  }),
  stopWork: defineHostedRoute({
    method: 'POST',
    path: '/v1/environments/:environment_id/work/:work_id/stop',
    summary: 'Asks the worker to stop, or with force ends the work immediately.',
    family: 'agents',
    scope: 'environment',
    worker: true,
    params,
    body: stopWorkBody,
    answer: workItem,
    errors: ['not_found', 'work_conflict'],
  }),
}
