import type { JsonObject, NotificationKind } from '@steward/contract'
import { type Deliver, deliveryKey, plainTextOf, titleOf, webAddressOf } from './delivery.ts'
import { fillText } from './fill-text.ts'

/** A notification about an item or a run. */
export interface FlowNotice {
  /** Stable for the same thing, so that it is notified once. */
  key: string
  kind?: NotificationKind
  title: string
  message: string
  /** An address to open. */
  click?: string
}

/** Accepts a notice permanently: it is delivered once, however often it is handed over. */
export type SendNotice = (notice: FlowNotice) => Promise<JsonObject>

export const createNoticeDelivery =
  (send: SendNotice): Deliver<'notify'> =>
  async ({ kind, title, message }, delivery) => {
    const { flow, output } = delivery
    const name = titleOf(delivery)
    const fields = { ...output, title: name }
    const click = webAddressOf(delivery)
    return send({
      key: `flow/${deliveryKey(delivery)}`,
      ...(kind === undefined ? {} : { kind }),
      title: title === undefined ? `[${flow.name}] ${name}` : fillText(title, fields),
      message: message === undefined ? plainTextOf(delivery) : fillText(message, fields),
      ...(click === undefined ? {} : { click }),
    })
  }
