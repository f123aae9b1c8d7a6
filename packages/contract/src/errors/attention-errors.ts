import type { ErrorRow } from './error-row.ts'

/** Answers to assistants that wait for a person. */
export const ATTENTION_ERRORS = {
  attention_not_found: {
    status: 404,
    retryable: false,
    message: 'no open request has the id {id}',
    remedy: '`steward answer` lists open requests.',
  },
  attention_closed: {
    status: 409,
    retryable: false,
    message: 'request {id} can no longer be answered: {reason}',
    remedy: 'Nothing was changed. If the assistant still asks, answer in its terminal.',
  },
  attention_elsewhere: {
    status: 409,
    retryable: false,
    message: 'request {id} cannot be answered here: {reason}',
    remedy: 'Answer where the message says.',
  },
  attention_full: {
    status: 429,
    retryable: true,
    message: '{count} requests are already waiting',
    remedy: 'Answer some of them; `steward answer` lists them.',
  },
  session_elsewhere: {
    status: 409,
    retryable: false,
    message: 'session {id} cannot be continued here: {reason}',
    remedy: 'Nothing was sent. `steward sessions show` says in which folder it works.',
  },
  reply_failed: {
    status: 502,
    retryable: false,
    message: 'the assistant did not continue session {id}: {reason}',
    remedy: 'Resume the session in its terminal to see why.',
  },
  answer_refused: {
    status: 403,
    retryable: false,
    message: 'the answer was refused: {reason}',
    remedy: 'Answer with `steward answer`, on the dashboard or in the terminal.',
  },
} as const satisfies Record<string, ErrorRow>
