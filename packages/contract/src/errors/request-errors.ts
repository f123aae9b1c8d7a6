import type { ErrorRow } from './error-row.ts'

/** Requests that are malformed, refused or name something that does not exist. */
export const REQUEST_ERRORS = {
  invalid_input: {
    status: 400,
    retryable: false,
    message: '{subject}: {reason}',
    remedy:
      '`steward list NAME` shows the fields that an action or pipeline takes, `steward COMMAND --help` the arguments and options of a command.',
  },
  package_unusable: {
    status: 400,
    retryable: false,
    message: '{package}: {reason}',
    remedy:
      'Give a file that `npm run pack` made in a clone, or steward@VERSION. With `--check`, nothing is installed; `--force` installs an older version.',
  },
  invalid_json: {
    status: 400,
    retryable: false,
    message: '{subject} is not valid JSON: {reason}',
    remedy: 'Correct the text at the given line and column.',
  },
  invalid_name: {
    status: 400,
    retryable: false,
    message: '{name} is not a valid name: {reason}',
    remedy: 'Use the form that the message suggests.',
  },
  unauthorized: {
    status: 401,
    retryable: false,
    message: 'Unauthorized',
    remedy:
      "Send `Authorization: Bearer <token>`: a worker's AUTH_TOKEN, or the content of the file `token` in the daemon's data home.",
  },
  signature_invalid: {
    status: 401,
    retryable: false,
    message: 'the webhook signature does not match: {reason}',
    remedy: 'Sign the exact bytes of the body with the secret that the flow names.',
  },
  foreign_host: {
    status: 403,
    retryable: false,
    message: 'refused: the host name {host} is not this machine',
    remedy: 'Use 127.0.0.1 or localhost. A web page that points its own name here is refused.',
  },
  foreign_origin: {
    status: 403,
    retryable: false,
    message: 'refused: the request comes from {origin}',
    remedy: 'Only pages that the daemon itself serves may call it from a browser.',
  },
  scope_missing: {
    status: 403,
    retryable: false,
    message: 'the key has the scope {scope} and may not do this: {reason}',
    remedy: 'Use a key with a sufficient scope; `steward hosted keys create --scope` creates one.',
  },
  path_refused: {
    status: 403,
    retryable: false,
    message: 'path refused: {path}: {reason}',
    remedy:
      'Use a path in an allowed folder. In settings.json, execution.readFile.roots adds folders to read, execution.destinations.roots folders to write to.',
  },
  not_found: {
    status: 404,
    retryable: false,
    message: '{what} not found: {name}{hint?}',
    remedy:
      'List the existing names: `steward list`, `runs`, `flows`, `agents`, `knowledge list`, `ladder list`.',
  },
  folder_not_found: {
    status: 404,
    retryable: false,
    message: 'folder not found: {folder}',
    remedy: 'Check the path; a relative path begins in the current folder.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    message: '{method} is not allowed here; use {allowed}',
    remedy: 'Use the method that the message names.',
  },
  already_exists: {
    status: 409,
    retryable: false,
    message: '{subject} already exists{hint?}',
    remedy: 'Choose another name, or change the existing one.',
  },
  ambiguous: {
    status: 409,
    retryable: false,
    message: '{name} could be {candidates}',
    remedy: 'Write more of the name, or copy one of the candidates.',
  },
  version_conflict: {
    status: 412,
    retryable: false,
    message: '{subject} was changed meanwhile; nothing was written',
    remedy: 'Read the current version, apply your change to it and try again.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    message: '{subject} is {bytes} bytes; the limit is {limit}',
    remedy: 'Send less data, or pass a reference such as a URL or a path.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    message: 'the body is {found}; send application/json',
    remedy: 'Set `Content-Type: application/json` and send JSON.',
  },
  rejected_content: {
    status: 422,
    retryable: false,
    message: '{subject}: {reason}',
    remedy: 'Change the content; the message says why it was rejected.',
  },
  too_many_requests: {
    status: 429,
    retryable: true,
    message: '{subject} allows {limit} calls per minute',
    remedy: 'Retry after the time in the Retry-After header.',
  },
  too_many_runs: {
    status: 429,
    retryable: true,
    message: '{limit} runs are in progress, which is the maximum',
    remedy: 'Retry after the time in the Retry-After header, when a run has ended.',
  },
  too_many_streams: {
    status: 429,
    retryable: true,
    message: '{limit} streams are open, which is the maximum',
    remedy: 'Close an unused dashboard, or poll instead.',
  },
  internal: {
    status: 500,
    retryable: false,
    message: 'internal error: {reason}',
    remedy: 'This is a bug in Steward. Please report it with the message.',
  },
  not_available: {
    status: 501,
    retryable: false,
    message: '{subject} is not available: {reason}',
    remedy: 'This version does not support it.',
  },
  timeout: {
    status: 504,
    retryable: true,
    message: '{subject} took longer than {limitMs} ms',
    remedy: 'Try again, or raise the time limit.',
  },
} as const satisfies Record<string, ErrorRow>
