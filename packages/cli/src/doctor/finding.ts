export type FindingStatus = 'ok' | 'warn' | 'fail'

/** What one check of `steward doctor` found. */
export interface Finding {
  check: string
  status: FindingStatus
  /** What was found and what it means. */
  message: string
  /** How to repair it. */
  repair?: string
  /** Repairs it; answers with what was done. */
  fix?: () => Promise<string>
}

export const fine = (check: string, message: string): Finding => ({ check, status: 'ok', message })
