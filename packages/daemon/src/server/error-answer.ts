import { isJsonObject, type Route, StewardError } from '@steward/contract'
import { API_HEADERS, type ErrorAnswer } from '@steward/http'
import { hideSecretForms } from '@steward/platform'

/** Details that clients read in addition to the message, by code. */
const SHOWN_DETAILS: Readonly<Record<string, readonly string[]>> = {
  work_state_missing: ['path'],
  work_state_unreadable: ['path'],
  not_available: ['status'],
  version_conflict: ['current'],
}

/**
 * An error as sent. Unexpected errors only go to the log, secrets are masked, and paths are shown
 * relative to the data home, because the caller may be anyone.
 */
export const toErrorAnswer = (
  error: StewardError,
  homeRoot: string,
  route: Pick<Route, 'statusInErrors'> = {},
): ErrorAnswer => {
  const details = Object.fromEntries(
    (SHOWN_DETAILS[error.code] ?? []).map((name) => [name, error.details[name]]),
  )
  const showsPath = 'path' in details
  const hide = (text: string) => hideSecretForms(showsPath ? text : hidePath(text, homeRoot))
  const body = { ...publicError(error).toBody(), ...details, ...shownIssues(error, hide) }
  const text = hide(body.error)
  const { retryAfterSeconds, allowed } = error.details
  return {
    status: error.status,
    headers: {
      ...API_HEADERS,
      'content-type': 'application/json',
      ...(error.status === 401 ? { 'www-authenticate': 'Bearer realm="steward"' } : {}),
      ...(typeof retryAfterSeconds === 'number'
        ? { 'retry-after': String(retryAfterSeconds) }
        : {}),
      ...(error.code === 'method_not_allowed' ? { allow: String(allowed) } : {}),
    },
    body: JSON.stringify({
      ...body,
      ...(route.statusInErrors === true ? { status: 'error', message: text } : {}),
      error: text,
    }),
  }
}

/** Each mistake in the input, for a form that shows it at its field; its texts may quote a secret. */
const shownIssues = (
  { code, details: { issues } }: StewardError,
  hide: (text: string) => string,
): { issues?: unknown[] } =>
  code === 'invalid_input' && Array.isArray(issues)
    ? {
        issues: issues.filter(isJsonObject).map(({ path, message, isKey }) => ({
          ...{ path: hide(String(path)), message: hide(String(message)) },
          ...(isKey === true ? { isKey } : {}),
        })),
      }
    : {}

const publicError = (error: StewardError): StewardError =>
  error.code === 'internal'
    ? new StewardError('internal', { reason: 'the log of the daemon has the details' })
    : error

/** Replaces the data home's path with `HOME` for remote callers. */
export const hidePath = (text: string, homeRoot: string): string =>
  text.replaceAll(homeRoot, 'HOME')
