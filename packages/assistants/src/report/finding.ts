import type { DoctorFinding } from '@steward/contract'
import type { AskedHost } from './host-report.ts'

/** The result of one check of `steward doctor`, and its repair. */
export interface Finding extends DoctorFinding {
  /**
   * Repairs it and returns what was done. Without `change` it needs a terminal, because it may wait
   * or ask.
   */
  fix?: () => Promise<string>
  /** The repair changes files that are not ours: it needs confirmation, also with `--fix`. */
  asksFirst?: true
  /** Everything known about an assistant, for programs. */
  host?: AskedHost
}

/** What the checks of assistants need. */
export interface CheckPorts {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** The command that starts this program, for advice. */
  command: string
  /** The folder that holds the files of this installation. */
  installation: string
}

export const fine = (check: string, message: string): Finding => ({ check, status: 'ok', message })
