import { isJsonObject, reasonOf, StewardError } from '@steward/contract'
import type { DriveSpec } from './drive-spec.ts'

const AUTH_REQUIRED = -32_000
const RESOURCE_NOT_FOUND = -32_002
const SESSION_LOST =
  /process (?:has )?(?:exited|ended|died)|exited unexpectedly|app-server (?:was killed|exited|crashed|was lost)/i
const SIGNED_OUT =
  /auth(?:entication|orization)?.{0,20}(?:required|failed|invalid)|not logged in|please run \/login|invalid api key|401/i

/** Whether the assistant itself answered with an error. */
export const isAnswer = (thrown: unknown): boolean => codeIn(thrown) !== undefined

/** Whether its program runs, but not the assistant that holds the session. */
export const isSessionLost = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (codeIn(thrown.cause) === RESOURCE_NOT_FOUND || SESSION_LOST.test(thrown.message))

const codeIn = (thrown: unknown): number | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number'
    ? thrown.code
    : undefined

/** The error of the table for what went wrong; `ending` says why its process ended. */
export const explainFailure = (
  { title, signIn }: DriveSpec,
  thrown: unknown,
  ending: string | undefined,
): StewardError => {
  if (thrown instanceof StewardError) return thrown
  const reason = ending ?? describe(thrown)
  const isSignedOut = codeIn(thrown) === AUTH_REQUIRED || SIGNED_OUT.test(reason)
  return isSignedOut
    ? new StewardError(
        'assistant_not_signed_in',
        { assistant: title, reason: `${reason}; ${signIn}` },
        thrown,
      )
    : new StewardError('assistant_failed', { assistant: title, reason }, thrown)
}

/** An error of the protocol may say more in its data than in its message. */
const describe = (thrown: unknown): string => {
  const data = thrown instanceof Error && 'data' in thrown ? thrown.data : undefined
  const details = isJsonObject(data) ? (data.details ?? data.message) : data
  const said = typeof details === 'string' && details !== '' ? `: ${details}` : ''
  return `${reasonOf(thrown)}${said}`.slice(0, 1000)
}
