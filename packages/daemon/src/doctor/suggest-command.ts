import type { Finding } from '@steward/assistants'

const PROGRAMS = /^(?:npx steward|steward|claude|chmod) [^;,]+$/

/**
 * Adds a repair command for people who are not at a terminal: the advice itself if it is a single
 * command, or the doctor if the repair needs a terminal.
 */
export const suggestCommand = (finding: Finding, command: string): Finding => {
  const { status, repair = '', fix, change } = finding
  if (status === 'ok') return finding
  if (fix !== undefined && change === undefined) {
    return { ...finding, command: `${command} doctor --fix` }
  }
  return PROGRAMS.test(repair) ? { ...finding, command: repair } : finding
}
