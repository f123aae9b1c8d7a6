import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { includeArchived, pageOf, pageQuery } from '../page.ts'
import { createVaultBody, hostedVault, updateVaultBody, vaultDeleted } from '../vault.ts'
import { defineHostedRoute } from './hosted-route.ts'

const params = z.object({ vault_id: hostedId })

export const hostedVaultRoutes = {
  createVault: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults',
    summary: 'Creates a vault.',
    family: 'agents',
    scope: 'admin',
    body: createVaultBody,
    answer: hostedVault,
  }),
  listVaults: defineHostedRoute({
    method: 'GET',
    path: '/v1/vaults',
    summary: 'Vaults, newest first.',
    family: 'agents',
    scope: 'read',
    query: z.object({ ...pageQuery, include_archived: includeArchived }),
    answer: pageOf(hostedVault),
  }),
  getVault: defineHostedRoute({
    method: 'GET',
    path: '/v1/vaults/:vault_id',
    summary: 'One vault.',
    family: 'agents',
    scope: 'read',
    params,
    answer: hostedVault,
    errors: ['not_found'],
  }),
  updateVault: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults/:vault_id',
    summary: 'Updates the name or metadata of a vault.',
    family: 'agents',
    scope: 'admin',
    params,
    body: updateVaultBody,
    answer: hostedVault,
    errors: ['not_found', 'archived'],
  }),
  archiveVault: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults/:vault_id/archive',
    summary: 'Archives a vault: its secrets are erased.',
    family: 'agents',
    scope: 'admin',
    params,
    answer: hostedVault,
    errors: ['not_found'],
  }),
  deleteVault: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/vaults/:vault_id',
    summary: 'Deletes a vault with its credentials.',
    family: 'agents',
    scope: 'admin',
    params,
    answer: vaultDeleted,
    errors: ['not_found'],
  }),
}
