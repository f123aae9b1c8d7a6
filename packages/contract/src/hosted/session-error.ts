import { z } from 'zod'
import { hostedId } from './instant.ts'

export const RETRY_STATUSES = ['retrying', 'exhausted', 'terminal'] as const
export type RetryStatus = (typeof RETRY_STATUSES)[number]

const common = {
  message: z.string(),
  retry_status: z.discriminatedUnion('type', [
    z.object({ type: z.literal('retrying') }),
    z.object({ type: z.literal('exhausted') }),
    z.object({ type: z.literal('terminal') }),
  ]),
}
const ofMcp = { ...common, mcp_server_name: z.string() }
const ofRepository = { ...common, repository_url: z.string().nullable() }

/** An error inside a session: reported as an event, never as an HTTP status. */
export const sessionError = z.discriminatedUnion('type', [
  z.object({ ...common, type: z.literal('unknown_error') }),
  z.object({ ...common, type: z.literal('model_overloaded_error') }),
  z.object({ ...common, type: z.literal('model_rate_limited_error') }),
  z.object({ ...common, type: z.literal('model_request_failed_error') }),
  z.object({ ...ofMcp, type: z.literal('mcp_connection_failed_error') }),
  z.object({ ...ofMcp, type: z.literal('mcp_authentication_failed_error') }),
  z.object({ ...common, type: z.literal('billing_error') }),
  z.object({
    ...common,
    type: z.literal('credential_host_unreachable_error'),
    credential_id: hostedId,
    vault_id: hostedId,
  }),
  z.object({ ...common, type: z.literal('tool_use_limit_reached_error') }),
  z.object({ ...common, type: z.literal('compaction_limit_reached_error') }),
  z.object({ ...ofRepository, type: z.literal('repository_authentication_error') }),
  z.object({ ...ofRepository, type: z.literal('repository_forbidden_error') }),
  z.object({ ...ofRepository, type: z.literal('repository_not_found_error') }),
  z.object({ ...ofRepository, type: z.literal('repository_checkout_error') }),
  z.object({ ...ofRepository, type: z.literal('repository_clone_error') }),
])
export type SessionError = z.infer<typeof sessionError>
