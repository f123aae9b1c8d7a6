import type { ErrorRow } from './error-row.ts'

/** Sessions of assistants that Steward starts. */
export const DRIVEN_ERRORS = {
  assistant_not_installed: {
    status: 422,
    retryable: false,
    message: '{assistant} is not installed: {reason}',
    remedy: 'Install it, and make sure that the daemon finds it on its PATH.',
  },
  adapter_missing: {
    status: 422,
    retryable: false,
    message: '{assistant} needs its adapter {package}, which is not installed',
    remedy: 'Run `steward sessions setup` with the name of the assistant.',
  },
  assistant_not_signed_in: {
    status: 422,
    retryable: false,
    message: '{assistant} is not signed in: {reason}',
    remedy: 'Sign in with its own program, then try again.',
  },
  assistant_failed: {
    status: 502,
    retryable: true,
    message: '{assistant} failed: {reason}',
    remedy: 'Start its own program in the same folder to see whether it works there.',
  },
  assistant_stopped: {
    status: 409,
    retryable: false,
    message: 'session {session} of {assistant} stopped: {reason}',
    remedy: 'See `steward sessions show`; raise its limit, or run the step again.',
  },
  assistant_malformed: {
    status: 502,
    retryable: false,
    message: 'session {session} of {assistant} did not answer as its schema requires: {reason}',
    remedy: 'Read its answer with `steward sessions show`, and simplify the schema or the task.',
  },
  session_not_driven: {
    status: 404,
    retryable: false,
    message: 'Steward did not start a session {session}',
    remedy:
      'Only sessions of `steward sessions start` can be followed and stopped; `steward sessions` lists all.',
  },
  session_busy: {
    status: 409,
    retryable: false,
    message: 'session {session} is still working',
    remedy: 'Wait until its turn is over, or stop it with `steward sessions stop`.',
  },
  session_limit: {
    status: 409,
    retryable: false,
    message: 'session {session} has reached its limit: {reason}',
    remedy: 'Start a new session with a higher limit.',
  },
  sessions_full: {
    status: 429,
    retryable: true,
    message: '{count} sessions are already working',
    remedy: 'Wait for one of them, stop one, or raise sessions.mostAtOnce in settings.json.',
  },
} as const satisfies Record<string, ErrorRow>
