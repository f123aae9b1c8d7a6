import type { AskedHost } from '../hooks/ask-host.ts'

export type FindingStatus = 'ok' | 'warn' | 'fail'

/** What one check of `steward doctor` found. */
export interface Finding {
  check: string
  status: FindingStatus
  /** What was found and what it means. */
  message: string
  /** Lines below it. */
  details?: string[]
  /** How to repair it. */
  repair?: string
  /** What `fix` changes, in words. Without it `fix` is for a terminal: it may wait, or ask. */
  change?: string
  /** Repairs it; answers with what was done. */
  fix?: () => Promise<string>
  /** Repairing would change what was never ours: it is done for a person who says yes, not for `--fix`. */
  asksFirst?: true
  /** All that is known of an assistant, for programs. */
  host?: AskedHost
}

export const fine = (check: string, message: string): Finding => ({ check, status: 'ok', message })
