import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { instant } from './instant.ts'
import { allowedHost } from './networking.ts'

const secret = z.string().min(1).max(65_536)
const serverUrl = z.url({ protocol: /^https?$/ }).max(2048)

/** Hosts that an injected secret may be sent to. */
export const credentialNetworking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('unrestricted') }),
  z.strictObject({
    type: z.literal('limited'),
    allowed_hosts: z.array(allowedHost).min(1).max(HOSTED_LIMITS.credentialHosts),
  }),
])
/**
 * Where in a request a secret is injected; omitted places keep their value, which defaults to
 * headers only.
 */
const injectionGiven = z.strictObject({
  header: z.boolean().optional(),
  body: z.boolean().optional(),
})

const tokenEndpointAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('client_secret_basic'), client_secret: secret }),
  z.strictObject({ type: z.literal('client_secret_post'), client_secret: secret }),
])
const refresh = z.strictObject({
  client_id: z.string().min(1).max(2048),
  refresh_token: secret,
  token_endpoint: serverUrl,
  token_endpoint_auth: tokenEndpointAuth,
  resource: z.string().max(2048).nullish(),
  scope: z.string().max(2048).nullish(),
})

/** A credential in requests: the only schema that contains its secret. */
export const credentialAuthGiven = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('mcp_oauth'),
    mcp_server_url: serverUrl,
    access_token: secret,
    expires_at: instant.nullish(),
    refresh: refresh.nullish(),
  }),
  z.strictObject({
    type: z.literal('static_bearer'),
    mcp_server_url: serverUrl,
    token: secret,
  }),
  z.strictObject({
    type: z.literal('environment_variable'),
    secret_name: z
      .string()
      .max(256)
      .regex(/^[A-Za-z_]\w*$/, 'a name such as API_TOKEN'),
    secret_value: secret,
    networking: credentialNetworking,
    injection_location: injectionGiven.optional(),
  }),
])
export type CredentialAuthGiven = z.infer<typeof credentialAuthGiven>

/** Changes to a credential; the type cannot change. */
export const credentialAuthUpdate = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('mcp_oauth'),
    access_token: secret.nullish(),
    expires_at: instant.nullish(),
    refresh: z
      .strictObject({
        refresh_token: secret.nullish(),
        scope: z.string().max(2048).nullish(),
        token_endpoint_auth: z
          .discriminatedUnion('type', [
            z.strictObject({
              type: z.literal('client_secret_basic'),
              client_secret: secret.nullish(),
            }),
            z.strictObject({
              type: z.literal('client_secret_post'),
              client_secret: secret.nullish(),
            }),
          ])
          .optional(),
      })
      .nullish(),
  }),
  z.strictObject({ type: z.literal('static_bearer'), token: secret.nullish() }),
  z.strictObject({
    type: z.literal('environment_variable'),
    secret_value: secret.nullish(),
    networking: credentialNetworking.nullish(),
    injection_location: injectionGiven.optional(),
  }),
])
export type CredentialAuthUpdate = z.infer<typeof credentialAuthUpdate>

/** A credential in answers, without any secret. */
export const credentialAuth = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('mcp_oauth'),
    mcp_server_url: z.string(),
    expires_at: instant.nullable(),
    refresh: z
      .object({
        client_id: z.string(),
        token_endpoint: z.string(),
        token_endpoint_auth: z.discriminatedUnion('type', [
          z.object({ type: z.literal('none') }),
          z.object({ type: z.literal('client_secret_basic') }),
          z.object({ type: z.literal('client_secret_post') }),
        ]),
        resource: z.string().nullable(),
        scope: z.string().nullable(),
      })
      .nullable(),
  }),
  z.object({ type: z.literal('static_bearer'), mcp_server_url: z.string() }),
  z.object({
    type: z.literal('environment_variable'),
    secret_name: z.string(),
    networking: credentialNetworking,
    injection_location: z.object({ header: z.boolean(), body: z.boolean() }),
  }),
])
export type CredentialAuth = z.infer<typeof credentialAuth>
