import type { ErrorRow } from './error-row.ts'

/** Files, databases and backups. */
export const STORAGE_ERRORS = {
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
  restore_refused: {
    status: 409,
    retryable: false,
    message: 'cannot restore to {home}: {reason}',
    remedy: '`steward restore FILE --dry-run` shows what would change, without changing it.',
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
} as const satisfies Record<string, ErrorRow>
