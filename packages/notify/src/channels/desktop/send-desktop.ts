import { StewardError } from '@steward/contract'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { delivered, failed, type SendOutcome } from '../send-outcome.ts'
import { buildDesktop } from './build-desktop.ts'
import { buildTerminalAlert } from './build-terminal-alert.ts'
import type { CommandOutcome, RunCommand } from './run-command.ts'

interface Terminal {
  write: (text: string) => void
  environment: Readonly<Record<string, string | undefined>>
}

export interface DesktopPorts {
  platform: NodeJS.Platform
  runCommand: RunCommand
  /** The person's terminal, if this process has one. */
  terminal?: Terminal
}

const TIMEOUT_MS = 5000

/**
 * Shows a desktop alert, or else a terminal alert; if neither is available, that is reported and
 * counts as done.
 */
export const sendDesktop = async (
  message: OutgoingMessage,
  { platform, runCommand, terminal }: DesktopPorts,
): Promise<SendOutcome> => {
  const { command, args } = buildDesktop(message, platform)
  const outcome = await runCommand(command, args, TIMEOUT_MS)
  if (outcome.kind === 'ended' && outcome.code === 0) return delivered(`by ${command}`)
  const reason = explain(command, outcome)
  if (terminal !== undefined) {
    terminal.write(buildTerminalAlert(message, terminal.environment))
    return delivered(`by the terminal (${reason})`)
  }
  if (outcome.kind === 'missing') {
    return { state: 'skipped', detail: `no alert was shown: ${reason}` }
  }
  return failed(new StewardError('upstream_failed', { service: 'the desktop', reason }))
}

const explain = (command: string, outcome: CommandOutcome): string => {
  if (outcome.kind === 'missing') {
    return `${command} is not installed${command === 'notify-send' ? '; the package is libnotify-bin or libnotify' : ''}`
  }
  if (outcome.kind === 'failed') return `${command} could not be started: ${outcome.reason}`
  if (outcome.code === null) return `${command} did not end within ${TIMEOUT_MS} ms`
  const said = outcome.stderr === '' ? '' : `: ${outcome.stderr}`
  return `${command} ended with ${outcome.code}${said}`
}
