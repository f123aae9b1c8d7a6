import { cleanLine, cleanText } from '../clean-text.ts'
import { cutToUnits } from '../cut-text.ts'
import { type OutgoingMessage, textOf } from '../outgoing-message.ts'

export interface Mail {
  from: string
  to: string
  subject: string
  text: string
  messageId: string
  date: Date
  headers: Record<string, string>
}

const SUBJECT_UNITS = 200

/** The mail of one message; `from` and `to` are validated addresses from the settings. */
export const buildMail = (
  message: OutgoingMessage,
  { from, to }: { from: string; to: string },
): Mail => ({
  from,
  to,
  subject: cutToUnits(cleanLine(message.title), SUBJECT_UNITS),
  text: cleanText(textOf(message)),
  // The same at every attempt, so that mail systems drop duplicates.
  messageId: `<${message.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
  date: new Date(message.createdAt),
  // RFC 3834: prevents automatic replies such as vacation notices.
  headers: { 'Auto-Submitted': 'auto-generated' },
})
