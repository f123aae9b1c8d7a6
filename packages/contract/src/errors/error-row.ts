/**
 * One row of the error table. Statuses follow design section 5: 400 input, 401 token, 404, 405, 413,
 * 422 rejected content, 429/502/504 upstream, 500 ours; 403 and 409 for valid requests that are
 * refused, 412 for an outdated version; on the daemon 415 for a body that is not JSON and 503 for
 * missing data; 501 for reserved features.
 */
export interface ErrorRow {
  status: number
  retryable: boolean
  /** Filled from the error's details: `{name}`, or `{name?}` for an optional one. */
  message: string
  /** What the person can do. */
  remedy: string
}
