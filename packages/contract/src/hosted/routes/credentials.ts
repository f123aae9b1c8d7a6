import { z } from 'zod'
import {
  createCredentialBody,
  credentialDeleted,
  credentialValidation,
  hostedCredential,
  updateCredentialBody,
} from '../credential.ts'
import { hostedId } from '../instant.ts'
import { includeArchived, pageOf, pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const ofVault = z.object({ vault_id: hostedId })
const params = z.object({ vault_id: hostedId, credential_id: hostedId })

export const hostedCredentialRoutes = {
  createCredential: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults/:vault_id/credentials',
    summary: 'Adds a credential to a vault. Its secret is never returned.',
    family: 'agents',
    scope: 'admin',
    params: ofVault,
    body: createCredentialBody,
    answer: hostedCredential,
    errors: ['not_found', 'archived', 'already_exists'],
  }),
  listCredentials: defineHostedRoute({
    method: 'GET',
    path: '/v1/vaults/:vault_id/credentials',
    summary: 'The credentials of a vault, without their secrets.',
    family: 'agents',
    scope: 'read',
    params: ofVault,
    query: z.object({ ...pageQuery, include_archived: includeArchived }),
    answer: pageOf(hostedCredential),
    errors: ['not_found'],
  }),
  getCredential: defineHostedRoute({
    method: 'GET',
    path: '/v1/vaults/:vault_id/credentials/:credential_id',
    summary: 'One credential, without its secret.',
    family: 'agents',
    scope: 'read',
    params,
    answer: hostedCredential,
    errors: ['not_found'],
  }),
  updateCredential: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults/:vault_id/credentials/:credential_id',
    summary: 'Replaces the secret, or changes the hosts it may be sent to.',
    family: 'agents',
    scope: 'admin',
    params,
    body: updateCredentialBody,
    answer: hostedCredential,
    errors: ['not_found', 'archived'],
  }),
  archiveCredential: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults/:vault_id/credentials/:credential_id/archive',
    summary: 'Archives a credential: its secret is erased.',
    family: 'agents',
    scope: 'admin',
    params,
    answer: hostedCredential,
    errors: ['not_found'],
  }),
  deleteCredential: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/vaults/:vault_id/credentials/:credential_id',
    summary: 'Deletes a credential.',
    family: 'agents',
    scope: 'admin',
    params,
    answer: credentialDeleted,
    errors: ['not_found'],
  }),
  validateCredential: defineHostedRoute({
    method: 'POST',
    path: '/v1/vaults/:vault_id/credentials/:credential_id/mcp_oauth_validate',
    summary: 'Tests an mcp_oauth credential against its server.',
    family: 'agents',
    scope: 'admin',
    params,
    answer: credentialValidation,
    errors: ['not_found', 'archived'],
  }),
}
