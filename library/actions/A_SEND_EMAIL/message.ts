import { type ActionContextV2, type JsonObject, StewardError } from '@steward/contract'
import { hasControlCharacters } from '../../lib/control-characters.ts'
import { readText } from '../../lib/read-fields.ts'
import { parseAddresses } from './addresses.ts'
import { renderHtml } from './render-html.ts'

/** A mail ready to send: every address validated, and safe from header injection. */
export interface Message {
  from: string
  to: string[]
  cc: string[]
  replyTo: string | undefined
  subject: string
  text: string
  html: string | undefined
  messageId: string
}

/** Builds the mail from the action's input, or reports the invalid field. */
export const buildMessage = (
  input: JsonObject,
  { secret, trace }: Pick<ActionContextV2, 'secret' | 'trace'>,
): Message => {
  const sender = readText(input, 'from') || (secret('MAIL_FROM') ?? '')
  if (sender === '') {
    throw new StewardError('not_configured', {
      subject: 'the sender of mail',
      reason: 'set MAIL_FROM to an address such as "Steward <me@example.org>", or give "from"',
    })
  }
  const [from = ''] = parseAddresses(sender, 'from', 1)
  const to = parseAddresses(readText(input, 'to'), 'to')
  const cc = readText(input, 'cc')
  const replyTo = readText(input, 'reply_to')
  const subject = checkSubject(readText(input, 'subject'))
  const text = typeof input.body === 'string' ? input.body : ''
  return {
    from,
    to,
    cc: cc === '' ? [] : parseAddresses(cc, 'cc'),
    replyTo: replyTo === '' ? undefined : parseAddresses(replyTo, 'reply_to', 1)[0],
    subject,
    text,
    html: readText(input, 'html') || renderHtml(text, subject),
    messageId: messageIdFor(trace, from),
  }
}

/** One id per run and step, so that mail systems drop duplicates. */
const messageIdFor = ({ runId, step }: ActionContextV2['trace'], from: string): string => {
  const domain = /@([^@\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
  return `<${runId.replace(/[^\w.-]/g, '-')}.${step}@${domain}>`
}

const checkSubject = (subject: string): string => {
  const wrong = (reason: string) =>
    new StewardError('invalid_input', {
      subject: 'A_SEND_EMAIL',
      reason: `"subject" ${reason}`,
      field: 'subject',
    })
  if (subject === '') throw wrong('is empty')
  if (hasControlCharacters(subject)) throw wrong('must be one line without control characters')
  return subject
}
