import { StewardError } from '@steward/contract'
import { cleanLine } from '../clean-text.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { delivered, failed, type SendOutcome } from '../send-outcome.ts'
import { alertOf, buildDesktop } from './build-desktop.ts'
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

type Variables = Readonly<Record<string, string | undefined>>

// Built from code points, so that the source contains no control characters.
const ESCAPE = String.fromCharCode(0x1b)
const BELL = String.fromCharCode(0x07)

/** The escape sequence for a terminal alert: OSC 777 with a title where supported, else OSC 9. */
export const buildTerminalAlert = (message: OutgoingMessage, environment: Variables): string => {
  const alert = alertOf(message)
  const body = cleanLine(alert.body)
  const sequence = knows777(environment)
    ? `${ESCAPE}]777;notify;${alert.title.replaceAll(';', ',')};${body}${BELL}`
    : `${ESCAPE}]9;${withoutCommand(`${alert.title}: ${body}`)}${BELL}`
  if (environment.TMUX === undefined) return sequence
  return `${ESCAPE}Ptmux;${sequence.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${ESCAPE}\\`
}

const knows777 = ({ TERM = '', TERM_PROGRAM = '', VTE_VERSION }: Variables): boolean =>
  VTE_VERSION !== undefined ||
  /^(rxvt-unicode|foot|xterm-ghostty|xterm-kitty)/.test(TERM) ||
  /^(ghostty|wezterm)$/i.test(TERM_PROGRAM)

/** Some terminals interpret a leading number and semicolon as another command, such as progress. */
const withoutCommand = (text: string): string => (/^\d+;/.test(text) ? ` ${text}` : text)
