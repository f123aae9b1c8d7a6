import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'
import { examine } from './examine.ts'
import type { Finding } from './finding.ts'

/** Every check, each finding with the command that repairs it, for those who are not at a terminal. */
export const examineForDashboard = async (io: Io): Promise<Finding[]> =>
  (await examine(io, process.version)).map(withCommand)

const PROGRAMS = /^(?:npx steward|steward|claude|chmod) [^;,]+$/

/** Advice that is one command, or the doctor itself where only a terminal lets it repair. */
export const withCommand = (finding: Finding): Finding & { command?: string } => {
  const { status, repair = '', fix, change } = finding
  if (status === 'ok') return finding
  if (fix !== undefined && change === undefined)
    return { ...finding, command: `${COMMAND} doctor --fix` }
  return PROGRAMS.test(repair) ? { ...finding, command: repair } : finding
}
