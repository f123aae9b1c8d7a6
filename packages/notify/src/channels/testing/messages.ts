import fc from 'fast-check'
import type { OutgoingMessage } from '../outgoing-message.ts'

export const CREATED_AT = Date.parse('2026-11-15T08:00:00.500Z')

export const messageOf = (given: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: '16410032-86ea-4f84-a7bf-b394bd4fd89d',
  kind: 'error',
  title: 'Error',
  message: 'It broke.',
  priority: 4,
  tags: ['warning', 'x'],
  click: null,
  color: null,
  createdAt: CREATED_AT,
  count: 1,
  ...given,
})

/** Quotes, shell syntax, breaks, emoji of several parts, right-to-left text, control characters. */
export const NASTY =
  'it\'s "q" `id` $(touch /tmp/x) ${HOME} ; | & < > \\ 👩‍👩‍👧‍👦 שלום عالم\u202e\r\nBcc: all@example.org\r\n\r\nX: y\0\u0007\u001b]0;title\u0007\u2028end'

/** Any text, with problematic characters more often than by chance. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom(...NASTY, '\r\n', '\n', '=?', '?=', ';', ',', '\ud83d', '\udc69', 'é'))
    .map((parts) => parts.join('')),
)
