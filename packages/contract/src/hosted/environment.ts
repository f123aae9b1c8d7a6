import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'
import { environmentNetworking, networkingGiven } from './networking.ts'
import { environmentPackages, packagesGiven } from './packages.ts'

export const environmentConfig = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('cloud'),
    networking: environmentNetworking,
    packages: environmentPackages,
  }),
  z.object({ type: z.literal('self_hosted') }),
])
export type EnvironmentConfig = z.infer<typeof environmentConfig>

/** Where sessions run: in our sandbox (`cloud`) or on the owner's worker (`self_hosted`). */
export const hostedEnvironment = z
  .object({
    id: hostedId,
    type: z.literal('environment'),
    name: z.string(),
    description: z.string().nullable(),
    config: environmentConfig,
    metadata: hostedMetadata,
    scope: z.literal('organization'),
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'HostedEnvironment' })
export type HostedEnvironment = z.infer<typeof hostedEnvironment>

const configGiven = z.discriminatedUnion('type', [
  z.strictObject({
    /** The vendor's recipes also write `anthropic_cloud`, which means the same. */
    type: z.literal(['cloud', 'anthropic_cloud']),
    networking: networkingGiven.nullish(),
    packages: packagesGiven.nullish(),
  }),
  z.strictObject({ type: z.literal('self_hosted') }),
])
export type EnvironmentConfigGiven = z.infer<typeof configGiven>

const environmentName = z.string().min(1).max(HOSTED_LIMITS.nameCharacters)
const shared = {
  config: configGiven.nullish(),
  description: z.string().max(HOSTED_LIMITS.descriptionCharacters).nullish(),
  /** There is only one organization, so account scope is not supported. */
  scope: z.literal('organization').nullish(),
}

/** Body of `POST /v1/environments`. */
export const createEnvironmentBody = z.strictObject({
  ...shared,
  name: environmentName,
  metadata: hostedMetadata.nullish(),
})
export type CreateEnvironmentBody = z.infer<typeof createEnvironmentBody>

/** Body of `POST /v1/environments/{id}`. */
export const updateEnvironmentBody = z.strictObject({
  ...shared,
  name: environmentName.nullish(),
  metadata: metadataPatch.nullish(),
})
export type UpdateEnvironmentBody = z.infer<typeof updateEnvironmentBody>

export const environmentDeleted = z.object({
  id: hostedId,
  type: z.literal('environment_deleted'),
})
