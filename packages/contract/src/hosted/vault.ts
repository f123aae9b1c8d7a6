import { z } from 'zod'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'

/** A display name. */
export const vaultDisplayName = z.string().min(1).max(255)

/** A collection of credentials that sessions may use. */
export const hostedVault = z
  .object({
    id: hostedId,
    type: z.literal('vault'),
    display_name: z.string(),
    metadata: hostedMetadata,
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'HostedVault' })
export type HostedVault = z.infer<typeof hostedVault>

/** Body of `POST /v1/vaults`. */
export const createVaultBody = z.strictObject({
  display_name: vaultDisplayName,
  metadata: hostedMetadata.nullish(),
})
/** Body of `POST /v1/vaults/{id}`. A name cannot be cleared, so null keeps it. */
export const updateVaultBody = z.strictObject({
  display_name: vaultDisplayName.nullish(),
  metadata: metadataPatch.nullish(),
})
export const vaultDeleted = z.object({ id: hostedId, type: z.literal('vault_deleted') })
