import { LIMITS, StewardError } from '@steward/contract'
import { tooLarge } from '../files/read-note-file.ts'

/** Checks that a text can be stored as a note and read back unchanged. */
export const checkText = (text: string, subject: string): void => {
  const bytes = Buffer.byteLength(text)
  if (bytes > LIMITS.noteBytes) throw tooLarge(subject, bytes)
  if (text.trim() === '') throw refuse(subject, 'it is empty')
  if (text.includes('\0')) throw refuse(subject, 'it has a NUL character: a note is text')
  if (!text.isWellFormed()) throw refuse(subject, 'it has half a character (a lone surrogate)')
}

const refuse = (subject: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject, reason, field: 'content' })
