import { cleanLine } from '../clean-text.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { alertOf } from './build-desktop.ts'

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
