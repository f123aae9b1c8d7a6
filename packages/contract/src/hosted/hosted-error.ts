import { z } from 'zod'
import type { ErrorCode, StewardError } from '../errors.ts'
import { isJsonObject } from '../is-json-object.ts'

/** The `error.type`s of the hosted API; clients use them and the status to distinguish errors. */
export const HOSTED_ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'timeout_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'overloaded_error',
  'memory_precondition_failed_error',
  'memory_path_conflict_error',
] as const
export type HostedErrorType = (typeof HOSTED_ERROR_TYPES)[number]

/** The shape of all errors of the hosted API. */
export const hostedErrorBody = z.object({
  type: z.literal('error'),
  error: z.object({
    type: z.enum(HOSTED_ERROR_TYPES),
    message: z.string(),
    details: z.looseObject({ error_code: z.string() }).optional(),
    /** Which memory blocks a path. */
    conflicting_memory_id: z.string().optional(),
    conflicting_path: z.string().optional(),
  }),
  request_id: z.string(),
})
export type HostedErrorBody = z.infer<typeof hostedErrorBody>

interface HostedRow {
  status?: number
  error_code?: string
  /** Errors with a type and fields of their own. */
  type?: HostedErrorType
}

/** Codes that have another status or name in the hosted API. */
export const HOSTED_ERROR_ROWS: Partial<Record<ErrorCode, HostedRow>> = {
  environment_archived: { error_code: 'environment_archived' },
  heartbeat_mismatch: { error_code: 'heartbeat_precondition_failed' },
  // The vendor answers 409 for an outdated agent version.
  version_conflict: { status: 409 },
  // Every version of the client treats a body that is not JSON as a bad request.
  unsupported_media_type: { status: 400 },
  budget_exceeded: { status: 400 },
  not_available: { status: 400 },
  rejected_content: { status: 400 },
  memory_precondition_failed: { type: 'memory_precondition_failed_error' },
  memory_path_conflict: { type: 'memory_path_conflict_error' },
}

const TYPES: Partial<Record<number, HostedErrorType>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export interface HostedErrorAnswer {
  status: number
  body: HostedErrorBody
  /** For `x-should-retry`: clients retry 409 and every 5xx unless this forbids it. */
  shouldRetry: boolean
}

/**
 * An error in the format of the hosted API. Of the details, only `error_code` and the fields in
 * `wire` are sent.
 */
export const toHostedError = (error: StewardError, requestId: string): HostedErrorAnswer => {
  const row = HOSTED_ERROR_ROWS[error.code]
  const status = row?.status ?? error.status
  const given = error.details.error_code
  const error_code = typeof given === 'string' ? given : row?.error_code
  const { wire } = error.details
  return {
    status,
    shouldRetry: error.retryable,
    body: {
      type: 'error',
      error: {
        type: row?.type ?? TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
        message: error.message,
        ...(row?.type !== undefined && isJsonObject(wire) ? wire : {}),
        ...(error_code ? { details: { ...(isJsonObject(wire) ? wire : {}), error_code } } : {}),
      },
      request_id: requestId,
    },
  }
}
