import { type Fetch, isJsonObject, StewardError } from '@steward/contract'
import { checkServiceResponse } from '../../lib/check-response.ts'
import type { Message } from './message.ts'

/** Posts the mail in the format that common mail APIs share. */
export const sendByApi = async (
  fetch: Fetch,
  { url, key }: { url: string; key: string | undefined },
  message: Message,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new StewardError('not_configured', {
      subject: 'MAIL_API_URL',
      reason: 'it must be an http or https address',
    })
  }
  const { from, to, cc, replyTo, subject, text, html, messageId } = message
  const response = await fetch(address, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': messageId,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      from,
      to,
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      ...(cc.length === 0 ? {} : { cc }),
      ...(replyTo === undefined ? {} : { reply_to: replyTo }),
      headers: { 'Message-ID': messageId },
    }),
  })
  await checkServiceResponse(response, address.host)
  return readId(await response.text())
}

/** The API's own id, if it returns one; the mail is sent in any case. */
const readId = (body: string): string | undefined => {
  try {
    const answer: unknown = JSON.parse(body)
    if (isJsonObject(answer) && typeof answer.id === 'string' && answer.id !== '') return answer.id
  } catch {
    // Some APIs return an empty body or plain text.
  }
  return undefined
}
