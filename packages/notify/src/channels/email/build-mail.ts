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

/** The mail of one message; `from` and `to` are checked addresses of the settings. */
export const buildMail = (
  message: OutgoingMessage,
  { from, to }: { from: string; to: string },
): Mail => ({
  from,
  to,
  subject: cutToUnits(cleanLine(message.title), SUBJECT_UNITS),
  text: cleanText(textOf(message)),
  // The same at every attempt: mail systems drop a second copy instead of showing it.
  messageId: `<${message.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
  date: new Date(message.createdAt),
  // RFC 3834: nobody's vacation notice should answer it.
  headers: { 'Auto-Submitted': 'auto-generated' },
})
