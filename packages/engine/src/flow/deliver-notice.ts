import type { JsonObject, NotificationKind } from '@steward/contract'
import { type Deliver, deliveryKey, isText, plainTextOf } from './delivery.ts'
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
    const { flow, item, output } = delivery
    const name = isText(output.title) ? output.title : (item.title ?? item.id)
    const fields = { ...output, title: name }
    const click = [output.url, output.source_url].find(isWebAddress)
    return send({
      key: `flow/${deliveryKey(delivery)}`,
      ...(kind === undefined ? {} : { kind }),
      title: title === undefined ? `[${flow.name}] ${name}` : fillText(title, fields),
      message: message === undefined ? plainTextOf(delivery) : fillText(message, fields),
      ...(click === undefined ? {} : { click }),
    })
  }

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value)
