import { type ChannelName, LIMITS } from '@steward/contract'
import { cleanLine, cleanText } from '../channels/clean-text.ts'
import { cutToBytes, cutToUnits } from '../channels/cut-text.ts'
import { styleOf } from '../channels/kind-style.ts'
import type { NewDelivery } from '../outbox/delivery.ts'
import type { Notice } from './notice.ts'

const TITLE_UNITS = 500

/**
 * Builds a delivery for one channel: masks secrets, limits texts, and fills in defaults of its
 * kind.
 */
export const buildDelivery = (
  notice: Notice,
  channel: ChannelName,
  redactText: (text: string) => string,
): NewDelivery => {
  const kind = notice.kind ?? null
  const style = styleOf(kind)
  const title = cutToUnits(cleanLine(redactText(notice.title ?? '')), TITLE_UNITS)
  const message = cutToBytes(cleanText(redactText(notice.message)), LIMITS.notifyMessageBytes)
  return {
    channel,
    kind,
    sessionId: notice.sessionId ?? null,
    title: title === '' ? style.title : title,
    message: message.trim() === '' ? style.title : message,
    priority: notice.priority ?? style.priority,
    tags: notice.tags ?? style.tags,
    click: notice.click === undefined ? null : redactText(notice.click),
    color: notice.color ?? null,
  }
}
