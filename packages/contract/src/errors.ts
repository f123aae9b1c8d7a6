import { isJsonObject } from './is-json-object.ts'
import { storageCodeOf } from './system-error.ts'

/** One row of the error table. `message` is filled from the error's details: `{name}`, or `{name?}` for an optional one. */
export interface ErrorRow {
  status: number
  retryable: boolean
  message: string
  /** What the person can do. */
  remedy: string
}

/**
 * All errors of Steward. `docs/reference/errors.md` is generated from this table. Statuses follow
 * design section 5: 400 input, 401 token, 404, 405, 413, 422 rejected content, 429/502/504
 * upstream, 500 ours; 403 and 409 for valid requests that are refused, 412 for an outdated version;
 * on the daemon 415 for a body that is not JSON and 503 for missing data; 501 for reserved
 * features.
 */
export const ERRORS = {
  invalid_input: {
    status: 400,
    retryable: false,
    message: '{subject}: {reason}',
    remedy:
      '`steward list NAME` shows the fields that an action or pipeline takes, `steward COMMAND --help` the arguments and options of a command.',
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
  address_refused: {
    status: 400,
    retryable: false,
    message: 'refused to connect to {host}: {reason}',
    remedy:
      'Private, loopback and link-local addresses are refused. If the host is yours, add it to execution.fetch.allowPrivateHosts in settings.json.',
  },
  environment_archived: {
    status: 400,
    retryable: false,
    message: 'the environment {name} is archived and accepts no new sessions',
    remedy: 'Choose another environment, or create one.',
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
  worker_not_found: {
    status: 404,
    retryable: false,
    message: 'worker not found: {worker}',
    remedy:
      'The worker name in the configuration differs from the deployed one, or it was never deployed.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    message: '{method} is not allowed here; use {allowed}',
    remedy: 'Use the method that the message names.',
  },
  daemon_running: {
    status: 409,
    retryable: false,
    message: 'a daemon already runs on this data home: {reason}',
    remedy: 'Use that daemon, stop it with `steward service stop`, or set another STEWARD_HOME.',
  },
  port_busy: {
    status: 409,
    retryable: false,
    message: 'port {port} is taken: {reason}',
    remedy:
      'Stop the program that listens there, or set observability.server.port or STEWARD_PORT.',
  },
  archived: {
    status: 409,
    retryable: false,
    message: '{what} {name} is archived: it can be read, not changed',
    remedy: 'Create a new one; archiving cannot be undone.',
  },
  work_conflict: {
    status: 409,
    retryable: false,
    message: 'work {work} is {state}: {reason}',
    remedy: 'Read the work again; another worker has leased it, or it has ended.',
  },
  session_running: {
    status: 409,
    retryable: false,
    message: 'session {session} is running: {reason}',
    remedy: 'Wait until it is idle, or send it a user.interrupt first.',
  },
  observation_refused: {
    status: 409,
    retryable: false,
    message: 'session {session} cannot be observed: {reason}',
    remedy:
      'Observers suit unattended work that needs an audit and is not urgent. Use `--force` to observe it anyway.',
  },
  run_conflict: {
    status: 409,
    retryable: false,
    message: 'idempotency key {key} was already used by run {run} with a different input',
    remedy: 'Use a new key for a new input.',
  },
  restore_refused: {
    status: 409,
    retryable: false,
    message: 'cannot restore to {home}: {reason}',
    remedy: '`steward restore FILE --dry-run` shows what would change, without changing it.',
  },
  run_active: {
    status: 409,
    retryable: true,
    message: '{subject} is still running in another process: {reason}',
    remedy: 'Wait until it finishes, or stop that process.',
  },
  run_not_resumable: {
    status: 409,
    retryable: false,
    message: 'run {run} cannot be continued: {reason}',
    remedy:
      'Start it again with `steward run`, or a flow with `steward trigger`; or choose another step for `steward rerun`.',
  },
  run_cancelled: {
    status: 409,
    retryable: false,
    message: 'run {run} was cancelled',
    remedy: 'Start it again, or continue an action or pipeline with `steward runs resume ID`.',
  },
  flow_disabled: {
    status: 409,
    retryable: false,
    message: 'flow {flow} is disabled',
    remedy: 'Set schedule.enabled to true in flow-index.json.',
  },
  already_exists: {
    status: 409,
    retryable: false,
    message: '{subject} is there already{hint?}',
    remedy: 'Choose another name, or change what is there.',
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
  heartbeat_mismatch: {
    status: 412,
    retryable: false,
    message: 'the lease of work {work} is not as expected: {reason}',
    remedy: 'Stop working on it: another worker has leased it, or it has ended.',
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
  model_refused: {
    status: 422,
    retryable: false,
    message: 'the model {model} refused to answer: {reason}',
    remedy: 'Change the content or the prompt; a retry gives the same answer.',
  },
  feed_unreadable: {
    status: 422,
    retryable: false,
    message: '{subject} is not a readable feed: {reason}',
    remedy:
      'Open the address in a browser; the feed may have moved, or the address may be a web page.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    message: '{service} is rate limiting us: {reason}',
    remedy: 'Wait, lengthen the interval, or raise the limit with the provider.',
  },
  too_many_requests: {
    status: 429,
    retryable: true,
    message: '{subject} allows {limit} calls per minute',
    remedy: 'Retry after the time in the Retry-After header.',
  },
  too_many_streams: {
    status: 429,
    retryable: true,
    message: 'there are {limit} open streams already',
    remedy: 'Close an unused dashboard, or poll instead.',
  },
  budget_exceeded: {
    status: 429,
    retryable: false,
    message:
      'the {scope} budget of {limit} USD would be exceeded: {spent} spent, next call up to {next}',
    remedy: 'Raise execution.budgets in settings.json or wait for the next day.',
  },
  action_failed: {
    status: 500,
    retryable: false,
    message: '{action} failed: {reason}',
    remedy:
      '`steward runs show ID` has the input and the error; `steward rerun ID --from STEP` tries again.',
  },
  action_crashed: {
    status: 500,
    retryable: false,
    message: '{action} ended its own process: {reason}',
    remedy:
      'Return from execute or throw an error, await every promise, and do not call process.exit. Only this step failed.',
  },
  action_memory: {
    status: 500,
    retryable: false,
    message: '{action} needs more memory than its limit of {limit} bytes',
    remedy: 'Give it less at a time, or work on the data in parts. Only this step failed.',
  },
  invalid_output: {
    status: 500,
    retryable: false,
    message: '{action} returned something its manifest does not allow: {reason}',
    remedy: 'Correct the action or the output section of its action.json.',
  },
  invalid_definition: {
    status: 500,
    retryable: false,
    message: '{file}: {reason}',
    remedy: 'Correct the file; every mistake in it is named.',
  },
  capability_missing: {
    status: 500,
    retryable: false,
    message: '{action} used {capability}, which {reason}',
    remedy: 'Add the capability to `requires` in action.json.',
  },
  secret_missing: {
    status: 500,
    retryable: false,
    message: '{action} needs the secret {secret}, which is not set',
    remedy:
      'Put NAME=value into .env in the data home or export it; on the edge, `steward secrets set NAME --all`. If the action works without it, declare it as {"name": "NAME", "optional": true}.',
  },
  backup_unusable: {
    status: 500,
    retryable: false,
    message: 'cannot use the backup {file}: {reason}',
    remedy:
      'Use another backup. `steward restore FILE --dry-run` checks one without changing anything.',
  },
  backup_incomplete: {
    status: 500,
    retryable: false,
    message: 'the backup {file} contains damaged data: {reason}',
    remedy: 'Run `steward repair`, then back up again. Older backups were kept.',
  },
  subrequest_limit: {
    status: 500,
    retryable: false,
    message: 'the run used up its {limit} subrequests',
    remedy: 'Split the work: a producer flow enqueues, a consumer flow processes.',
  },
  sandbox_unavailable: {
    status: 500,
    retryable: false,
    message: 'no sandbox for shell commands: {reason}',
    remedy:
      'Install bubblewrap (`steward doctor --fix`), or accept the risk with execution.shell.withoutSandbox: "run".',
  },
  command_missing: {
    status: 500,
    retryable: false,
    message: '{command} is not installed: {reason}',
    remedy: 'Install the named program; the message says how.',
  },
  not_configured: {
    status: 500,
    retryable: false,
    message: '{subject} is not configured: {reason}',
    remedy: 'Set the value that the message names.',
  },
  storage_failed: {
    status: 500,
    retryable: true,
    message: 'could not write {path}: {reason}',
    remedy: 'Look at the named file; `steward doctor` checks the whole data home.',
  },
  disk_full: {
    status: 503,
    retryable: true,
    message: 'could not write {path}: the disk is full: {reason}',
    remedy:
      'Free space on the disk that holds the data home; `steward doctor` shows how much is left.',
  },
  storage_denied: {
    status: 500,
    retryable: false,
    message: 'no permission to use {path}: {reason}',
    remedy:
      'Make the file and its folder readable and writable for the user who runs Steward (chown, chmod, or mount the disk for writing).',
  },
  storage_damaged: {
    status: 500,
    retryable: false,
    message: 'the database {path} is damaged: {reason}',
    remedy:
      'Run `steward repair`, or restore a backup with `steward restore`. Until then Steward does not write to it.',
  },
  storage_lost: {
    status: 503,
    retryable: false,
    message: '{path} is gone: {reason}',
    remedy:
      'Restart the daemon; it then uses the files that are there. `steward restore` brings back a backup.',
  },
  too_many_open_files: {
    status: 503,
    retryable: true,
    message: 'could not open {path}: too many files are open: {reason}',
    remedy: 'Raise the limit of open files (`ulimit -n`), or end programs that hold many open.',
  },
  hosted_not_found: {
    status: 404,
    retryable: false,
    message: 'there is no {kind} {id}',
    remedy: 'Look up the id with the matching list command; it may have been deleted.',
  },
  hosted_lease_lost: {
    status: 503,
    retryable: true,
    message: 'another process acts for session {session} now',
    remedy: 'Nothing to do: the other process continues from the log.',
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
  invalid_api_key: {
    status: 502,
    retryable: false,
    message: '{service} rejected the API key (401)',
    remedy: 'Check LLM_API_KEY, or the key that the message names.',
  },
  model_overloaded: {
    status: 502,
    retryable: true,
    message: '{service} is overloaded (529)',
    remedy: 'Retry later.',
  },
  model_malformed: {
    status: 502,
    retryable: true,
    message: 'the model {model} gave an answer that does not fit: {reason}',
    remedy: 'Use a stronger tier, or a simpler schema.',
  },
  upstream_failed: {
    status: 502,
    retryable: true,
    message: '{service} answered with an error: {reason}',
    remedy: 'Check the named service.',
  },
  binding_missing: {
    status: 502,
    retryable: false,
    message: 'binding error: {reason}',
    remedy: 'Deploy the target workers before the workers that bind to them.',
  },
  work_state_missing: {
    status: 503,
    retryable: true,
    message: 'the work-state file is missing: {path}',
    remedy: 'It is created by the first prompt of an assistant whose hooks are installed.',
  },
  work_state_unreadable: {
    status: 503,
    retryable: false,
    message: 'the work-state file cannot be read: {path}: {reason}',
    remedy: 'Check the file; the next write renames the unreadable file and creates a new one.',
  },
  assistant_unreadable: {
    status: 503,
    retryable: false,
    message: '{file} of the assistant cannot be read: {reason}',
    remedy: 'Correct the file in USER/ASSISTANT, or move it away to use the defaults.',
  },
  module_failed: {
    status: 503,
    retryable: true,
    message: 'the {module} module is not running: {reason}',
    remedy: '`GET /health` and `steward doctor` show details; the other modules keep running.',
  },
  timeout: {
    status: 504,
    retryable: true,
    message: '{subject} took longer than {limitMs} ms',
    remedy: 'Try again, or raise the time limit.',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS
export const ERROR_CODES = Object.keys(ERRORS).filter(isErrorCode)

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}

/** An error on the wire. `error` stays a string because old clients print it. */
export interface ErrorBody {
  success: false
  error: string
  code: ErrorCode
  field?: string
  [detail: string]: unknown
}

type Details = Record<string, unknown>

type PlaceholderIn<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderIn<Rest>
  : never
type PlaceholderOf<Code extends ErrorCode> = PlaceholderIn<(typeof ERRORS)[Code]['message']>
type OptionalIn<Placeholder> = Placeholder extends `${infer Name}?` ? Name : never

/**
 * The details that an error requires: every placeholder of its message except `Known`, plus any
 * that the thrower adds.
 */
type DetailsOf<Code extends ErrorCode, Known extends string = never> = Details & {
  [Name in Exclude<PlaceholderOf<Code>, Known | `${string}?`>]: string | number
} & { [Name in OptionalIn<PlaceholderOf<Code>>]?: string | number }
/** Makes the details optional if none are required. */
type Given<Needed> =
  Record<never, unknown> extends Needed
    ? [details?: Needed, cause?: unknown]
    : [details: Needed, cause?: unknown]

/**
 * The one error class: a code of the table, details for its message, and the cause. The type parameter
 * checks the details only: `code` stays wide, because `instanceof` cannot know it.
 */
export class StewardError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'StewardError'
  readonly code: ErrorCode
  readonly details: Details

  constructor(code: Code, ...[given, cause]: Given<DetailsOf<Code>>) {
    const details: Details = given ?? {}
    super(fill(ERRORS[code].message, details), cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  /**
   * An action that is loaded from source brings its own copy of this class, so `instanceof` must
   * accept it.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: it may be a class that extends this one.
    if (Object.prototype.isPrototypeOf.call(this.prototype, Object(value))) return true
    // biome-ignore lint/complexity/noThisInStatic: only errors of this very class come from other copies.
    return this === StewardError && value instanceof Error && value.name === 'StewardError'
  }

  /**
   * An error that arrives with its message already filled in, for example from a worker or a
   * record.
   */
  static restore(
    code: ErrorCode,
    message: string,
    details: Details = {},
    cause?: unknown,
  ): StewardError {
    const error = new StewardError('internal', { reason: message }, cause)
    return Object.assign(error, { code, message, details })
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable
  }

  get remedy(): string {
    return ERRORS[this.code].remedy
  }

  toBody(): ErrorBody {
    const { field } = this.details
    return {
      success: false,
      error: this.message,
      code: this.code,
      ...(typeof field === 'string' ? { field } : {}),
    }
  }
}

/**
 * Converts anything thrown to an error of the table. Unknown errors become `fallback` and keep
 * their message as the reason. A full disk is reported as such wherever it occurs, unless an action
 * or a service is to blame.
 */
export function toStewardError(thrown: unknown): StewardError
export function toStewardError<Code extends ErrorCode>(
  thrown: unknown,
  fallback: Code,
  ...details: Given<DetailsOf<Code, 'reason'>>
): StewardError
export function toStewardError(
  thrown: unknown,
  fallback: ErrorCode = 'internal',
  details: Details = {},
): StewardError {
  if (thrown instanceof StewardError) return thrown
  if (fallback === 'internal' || fallback === 'storage_failed') {
    const code = storageCodeOf(thrown)
    if (code !== undefined) {
      const path = details.path ?? pathOf(thrown) ?? 'a file of the data home'
      const known = { ...details, path, reason: reasonOf(thrown) }
      return StewardError.restore(code, fill(ERRORS[code].message, known), known, thrown)
    }
  }
  const filled = { ...details, reason: reasonOf(thrown) }
  return StewardError.restore(fallback, fill(ERRORS[fallback].message, filled), filled, thrown)
}

const pathOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'path' in thrown ? thrown.path : undefined

/** The message of anything thrown; never throws itself. */
export const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof Error) return thrown.message || thrown.name
  return isJsonObject(thrown) || Array.isArray(thrown) ? toText(thrown) : String(thrown)
}

const fill = (template: string, details: Details): string =>
  template.replace(/\{(\w+)\??\}/g, (_, name: string) => {
    const value = details[name]
    if (value === undefined) return ''
    return typeof value === 'string' ? value : toText(value)
  })

/** JSON, or the type's name if the value cannot be serialised: reporting an error must not fail. */
const toText = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
