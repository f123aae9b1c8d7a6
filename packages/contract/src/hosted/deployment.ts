import { z } from 'zod'
import { systemMessage, userDefineOutcome, userMessage } from './client-events.ts'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'
import { sessionBudget } from './money.ts'
import { memoryResourceGiven, repositoryResourceGiven, resourceGiven } from './resource.ts'
import { pinnableAgent } from './session.ts'

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Five-field cron in a time zone; the server checks the expression. */
const scheduleGiven = z.strictObject({
  type: z.literal('cron'),
  expression: z.string().min(1).max(256),
  timezone: z.string().min(1).max(64).refine(isZone, 'a time zone such as Europe/Berlin or UTC'),
})
export type DeploymentScheduleGiven = z.infer<typeof scheduleGiven>

/** Events that each session of a deployment starts with. */
const deploymentEvent = z.discriminatedUnion('type', [
  userMessage,
  userDefineOutcome,
  systemMessage,
])
export type DeploymentEvent = z.infer<typeof deploymentEvent>

/** A resource in answers: as given, without its token. */
const deploymentResource = z.discriminatedUnion('type', [
  repositoryResourceGiven.omit({ authorization_token: true }),
  z.strictObject({
    type: z.literal('file'),
    file_id: hostedId,
    mount_path: z.string().nullish(),
  }),
  memoryResourceGiven,
])

/** Failures that a later run would repeat, so that they pause a schedule. */
export const PAUSING_ERRORS = [
  'environment_archived_error',
  'environment_not_found_error',
  'agent_archived_error',
  'vault_not_found_error',
  'vault_archived_error',
  'file_not_found_error',
  'memory_store_archived_error',
  'session_resource_not_found_error',
  'skill_not_found_error',
] as const
const RUN_ERRORS = [...PAUSING_ERRORS, 'session_creation_rejected_error', 'unknown_error'] as const
export type RunErrorType = (typeof RUN_ERRORS)[number]

export const pausedReason = z.union([
  z.object({ type: z.literal('manual') }),
  z.object({ type: z.literal('error'), error: z.object({ type: z.enum(PAUSING_ERRORS) }) }),
])
export type PausedReason = z.infer<typeof pausedReason>

const agentPin = z.object({
  id: hostedId,
  type: z.literal('agent'),
  version: z.number().int().positive(),
})

/** What a person sets of a deployment. */
export const deploymentMakeup = {
  name: z.string(),
  description: z.string().nullable(),
  agent: agentPin,
  environment_id: hostedId,
  initial_events: z.array(deploymentEvent),
  vault_ids: z.array(hostedId),
  budget: sessionBudget.nullable(),
  metadata: hostedMetadata,
}

/** An agent with everything that it needs to run unattended, and optionally a schedule. */
export const deployment = z
  .object({
    id: hostedId,
    type: z.literal('deployment'),
    ...deploymentMakeup,
    resources: z.array(deploymentResource),
    schedule: z
      .object({
        type: z.literal('cron'),
        expression: z.string(),
        timezone: z.string(),
        last_run_at: instant.nullable(),
        upcoming_runs_at: z.array(instant),
      })
      .nullable(),
    status: z.enum(['active', 'paused']),
    paused_reason: pausedReason.nullable(),
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'Deployment' })
export type Deployment = z.infer<typeof deployment>

const name = z.string().min(1).max(HOSTED_LIMITS.nameCharacters)
const description = z.string().max(HOSTED_LIMITS.descriptionCharacters).nullish()
const events = z
  .array(deploymentEvent)
  .min(1)
  .max(HOSTED_LIMITS.initialEvents)
  .superRefine((given, context) => {
    given.forEach((event, index) => {
      if (event.type !== 'system.message') return
      if (index === given.length - 1 && given[index - 1]?.type === 'user.message') return
      const message = 'system.message comes once, last, right after a user.message'
      context.addIssue({ code: 'custom', path: [index], message })
    })
  })
const resources = z.array(resourceGiven).max(HOSTED_LIMITS.sessionResources)
const vaults = z.array(hostedId).max(HOSTED_LIMITS.sessionVaults)

/** Body of `POST /v1/deployments`. */
export const createDeploymentBody = z.strictObject({
  name,
  description,
  agent: pinnableAgent,
  environment_id: hostedId,
  initial_events: events,
  resources: resources.nullish(),
  schedule: scheduleGiven.nullish(),
  vault_ids: vaults.nullish(),
  budget: sessionBudget.nullish(),
  metadata: hostedMetadata.nullish(),
})
export type CreateDeploymentBody = z.infer<typeof createDeploymentBody>

/** Body of `POST /v1/deployments/{id}`: omitted fields keep their value, null clears. */
export const updateDeploymentBody = z.strictObject({
  name: name.optional(),
  description,
  agent: pinnableAgent.optional(),
  environment_id: hostedId.optional(),
  initial_events: events.optional(),
  resources: resources.nullish(),
  schedule: scheduleGiven.nullish(),
  vault_ids: vaults.nullish(),
  budget: sessionBudget.nullish(),
  metadata: metadataPatch.nullish(),
})
export type UpdateDeploymentBody = z.infer<typeof updateDeploymentBody>

export const RUN_TRIGGERS = ['schedule', 'manual'] as const

/** One execution of a deployment: the session that it created, or why it could not. */
export const deploymentRun = z
  .object({
    id: hostedId,
    type: z.literal('deployment_run'),
    deployment_id: hostedId,
    agent: agentPin,
    session_id: hostedId.nullable(),
    error: z.object({ type: z.enum(RUN_ERRORS), message: z.string() }).nullable(),
    trigger_context: z.discriminatedUnion('type', [
      z.object({ type: z.literal('schedule'), scheduled_at: instant }),
      z.object({ type: z.literal('manual') }),
    ]),
    created_at: instant,
  })
  .meta({ id: 'DeploymentRun' })
export type DeploymentRun = z.infer<typeof deploymentRun>
