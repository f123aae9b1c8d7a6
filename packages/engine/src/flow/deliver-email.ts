import type { JsonObject } from '@steward/contract'
import { bodyOf, type Deliver } from './delivery.ts'

/** Sends one mail: A_SEND_EMAIL as its own recorded run, so that all mail is sent the same way. */
export type SendEmail = (input: JsonObject) => Promise<JsonObject>

export const createEmailDelivery =
  (send: SendEmail): Deliver<'email'> =>
  async ({ address, subject }, delivery) => {
    const { flow, item, output } = delivery
    // A pipeline that ends in A_SEND_EMAIL has already sent it.
    if (output.success === true && typeof output.message_id === 'string') {
      return { to: output.to ?? address, message_id: output.message_id }
    }
    const line = subject ?? (typeof output.subject === 'string' ? output.subject : undefined)
    const to = typeof output.to === 'string' ? output.to : address
    const sent = await send({
      to,
      subject: line ?? `[${flow.name}] ${item.title ?? item.id}`,
      body: bodyOf(delivery),
    })
    return { to, message_id: sent.message_id }
  }
