import { type ErrorCode, EXIT } from '@steward/contract'

export { EXIT }

/** Errors before a run started; all other codes exit 1. */
const BY_CODE: Partial<Record<ErrorCode, number>> = {
  invalid_input: EXIT.usage,
  invalid_json: EXIT.usage,
  invalid_name: EXIT.usage,
  package_unusable: EXIT.usage,
  invalid_definition: EXIT.usage,
  payload_too_large: EXIT.usage,
  address_refused: EXIT.usage,
  path_refused: EXIT.usage,
  feed_unreadable: EXIT.usage,
  signature_invalid: EXIT.usage,
  not_found: EXIT.notFound,
  folder_not_found: EXIT.notFound,
  worker_not_found: EXIT.notFound,
  hosted_not_found: EXIT.notFound,
  already_exists: EXIT.conflict,
  ambiguous: EXIT.conflict,
  version_conflict: EXIT.conflict,
  restore_refused: EXIT.conflict,
  run_active: EXIT.conflict,
  run_conflict: EXIT.conflict,
  run_not_resumable: EXIT.conflict,
  observation_refused: EXIT.conflict,
  flow_disabled: EXIT.conflict,
  daemon_running: EXIT.conflict,
  port_busy: EXIT.conflict,
  not_configured: EXIT.notConfigured,
  secret_missing: EXIT.notConfigured,
  unauthorized: EXIT.notConfigured,
  sandbox_unavailable: EXIT.notConfigured,
  hosted_isolation_missing: EXIT.notConfigured,
  command_missing: EXIT.notConfigured,
  bucket_refused: EXIT.notConfigured,
}

export const exitCodeOf = (code: ErrorCode): number => BY_CODE[code] ?? EXIT.failed

/** A failed run: 2 if its very first step refused the input, else 1. */
export const exitCodeOfRun = (code: ErrorCode, steps: number): number =>
  steps <= 1 && exitCodeOf(code) === EXIT.usage ? EXIT.usage : EXIT.failed
