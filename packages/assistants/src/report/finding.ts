import type { DoctorFinding } from '@steward/contract'
import type { AskedHost } from './host-report.ts'

/** What one check of `steward doctor` found, and how it can be repaired. */
export interface Finding extends DoctorFinding {
  /** Repairs it and answers with what was done. Without `change` it needs a terminal: it may wait or ask. */
  fix?: () => Promise<string>
  /** The repair changes files that are not ours: it needs a yes, and `--fix` skips it. */
  asksFirst?: true
  /** Everything known about an assistant, for programs. */
  host?: AskedHost
}

/** What the checks of assistants need. */
export interface CheckPorts {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** What a person types to start this program, for advice. */
  command: string
  /** The folder that holds the files of this installation. */
  installation: string
}

export const fine = (check: string, message: string): Finding => ({ check, status: 'ok', message })
