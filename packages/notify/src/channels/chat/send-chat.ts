import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { type HttpPorts, postToService } from '../request-service.ts'
import type { SendOutcome } from '../send-outcome.ts'
import { buildChat, formOfWebhook } from './build-chat.ts'

/** Posts one message to a chat webhook. */
export const sendChat = (
  message: OutgoingMessage,
  webhook: URL,
  ports: HttpPorts,
): Promise<SendOutcome> =>
  postToService(
    {
      service: `the chat webhook at ${webhook.host}`,
      address: webhook.href,
      headers: { 'Content-Type': 'application/json' },
      body: buildChat(message, formOfWebhook(webhook)),
      meanings: MEANINGS,
    },
    ports,
  )

const GONE = 'the webhook does not exist (any more): create a new one and set it'

const MEANINGS: Readonly<Record<number, string>> = {
  401: GONE,
  403: GONE,
  404: GONE,
  410: GONE,
}

/** Errors describe the expected form and never the value, which is a secret. */
export const parseWebhook = (text: string): Result<URL> => {
  const webhook = URL.parse(text)
  const isWebhook = webhook !== null && /^https?:$/.test(webhook.protocol)
  if (isWebhook && webhook.username === '') return ok(webhook)
  const reason = 'notifications.chat.webhook must be the https:// address of a webhook'
  return fail(new StewardError('not_configured', { subject: 'chat', reason }))
}
