import { cleanLine, cleanText } from '../clean-text.ts'
import { cutToUnits } from '../cut-text.ts'
import { type OutgoingMessage, textOf } from '../outgoing-message.ts'

export interface DesktopCommand {
  command: string
  args: string[]
}

/** An alert shows a few lines; a single program argument may have at most 128 KB. */
const TITLE_UNITS = 100
const BODY_UNITS = 1000

/** The alert program and its arguments; the text is an argument and never code. */
export const buildDesktop = (
  message: OutgoingMessage,
  platform: NodeJS.Platform,
): DesktopCommand => {
  const { title, body } = alertOf(message)
  if (platform === 'darwin') {
    const script = [
      'on run argv',
      'display notification (item 1 of argv) with title (item 2 of argv)',
      'end run',
    ]
    const args = script.flatMap((line) => ['-e', line])
    return { command: 'osascript', args: [...args, '--', body, title] }
  }
  const urgency = message.priority >= 5 ? 'critical' : message.priority <= 2 ? 'low' : 'normal'
  return {
    command: 'notify-send',
    args: ['--app-name=Steward', `--urgency=${urgency}`, '--', title, escapeMarkup(body)],
  }
}

export const alertOf = (message: OutgoingMessage): { title: string; body: string } => ({
  title: cutToUnits(cleanLine(message.title), TITLE_UNITS),
  body: cutToUnits(cleanText(textOf(message)), BODY_UNITS),
})

/** Desktops parse the body as markup, so text that looks like a tag would vanish. */
const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
