import type { ErrorRow } from './error-row.ts'

/** The daemon, observed sessions of assistants, and hosted agents. */
export const SESSION_ERRORS = {
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
  module_failed: {
    status: 503,
    retryable: true,
    message: 'the {module} module is not running: {reason}',
    remedy: '`GET /health` and `steward doctor` show details; the other modules keep running.',
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
  observation_refused: {
    status: 409,
    retryable: false,
    message: 'session {session} cannot be observed: {reason}',
    remedy:
      'Observers suit unattended work that needs an audit and is not urgent. Use `--force` to observe it anyway.',
  },
  environment_archived: {
    status: 400,
    retryable: false,
    message: 'the environment {name} is archived and accepts no new sessions',
    remedy: 'Choose another environment, or create one.',
  },
  memory_precondition_failed: {
    status: 409,
    retryable: false,
    message: 'the content of memory {id} does not match the expected hash',
    remedy: 'Read the memory again, and repeat the change with its current content_sha256.',
  },
  memory_path_conflict: {
    status: 409,
    retryable: false,
    message: 'the path {path} is used by another memory or overlaps {other}',
    remedy: 'Rename or delete the other memory, or choose another path.',
  },
  hosted_not_found: {
    status: 404,
    retryable: false,
    message: 'there is no {kind} {id}',
    remedy: 'Look up the id with the matching list command; it may have been deleted.',
  },
  hosted_isolation_missing: {
    status: 500,
    retryable: false,
    message: 'agents cannot be isolated on this machine: {reason}',
    remedy:
      'Install bubblewrap (`steward doctor --fix`). `steward hosted serve --no-isolation` accepts that agents act as you.',
  },
  archived: {
    status: 409,
    retryable: false,
    message: '{what} {name} is archived: it can be read, but neither used nor changed',
    remedy: 'Create a new one; archiving cannot be undone.',
  },
  session_running: {
    status: 409,
    retryable: false,
    message: 'session {session} is running: {reason}',
    remedy: 'Wait until it is idle, or send it a user.interrupt first.',
  },
  work_conflict: {
    status: 409,
    retryable: false,
    message: 'work {work} is {state}: {reason}',
    remedy: 'Read the work again; another worker has leased it, or it has ended.',
  },
  heartbeat_mismatch: {
    status: 412,
    retryable: false,
    message: 'the lease of work {work} is not as expected: {reason}',
    remedy: 'Stop working on it: another worker has leased it, or it has ended.',
  },
  hosted_lease_lost: {
    status: 503,
    retryable: true,
    message: 'another process has taken over session {session}',
    remedy: 'Nothing to do: the other process continues from the log.',
  },
} as const satisfies Record<string, ErrorRow>
