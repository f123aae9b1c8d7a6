import { z } from 'zod'
import { credentialAuth, credentialAuthGiven, credentialAuthUpdate } from './credential-auth.ts'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'
import { vaultDisplayName } from './vault.ts'

export const hostedCredential = z
  .object({
    id: hostedId,
    type: z.literal('vault_credential'),
    vault_id: hostedId,
    display_name: z.string().nullable(),
    metadata: hostedMetadata,
    auth: credentialAuth,
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'HostedCredential' })
export type HostedCredential = z.infer<typeof hostedCredential>

/** Body of `POST /v1/vaults/{id}/credentials`. */
export const createCredentialBody = z.strictObject({
  auth: credentialAuthGiven,
  display_name: vaultDisplayName.nullish(),
  metadata: hostedMetadata.nullish(),
})
/** Body of `POST /v1/vaults/{id}/credentials/{credential}`. */
export const updateCredentialBody = z.strictObject({
  auth: credentialAuthUpdate.optional(),
  display_name: vaultDisplayName.nullish(),
  metadata: metadataPatch.nullish(),
})
export const credentialDeleted = z.object({
  id: hostedId,
  type: z.literal('vault_credential_deleted'),
})

const httpResponse = z.object({
  status_code: z.number().int(),
  content_type: z.string(),
  body: z.string(),
  body_truncated: z.boolean(),
})
/** The result of testing a credential. */
export const credentialValidation = z.object({
  type: z.literal('vault_credential_validation'),
  credential_id: hostedId,
  vault_id: hostedId,
  status: z.enum(['valid', 'invalid', 'unknown']),
  has_refresh_token: z.boolean(),
  mcp_probe: z.object({ method: z.string(), http_response: httpResponse.nullable() }).nullable(),
  refresh: z
    .object({
      status: z.enum(['succeeded', 'failed', 'connect_error', 'no_refresh_token']),
      http_response: httpResponse.nullable(),
    })
    .nullable(),
  validated_at: instant,
})
export type CredentialValidation = z.infer<typeof credentialValidation>
