import { type ChannelName, LIMITS, type NotificationKind } from '@steward/contract'
import type { Redactor } from '@steward/memory'
import { cleanLine, cleanText } from '../channels/clean-text.ts'
import { cutToBytes, cutToUnits } from '../channels/cut-text.ts'
import { styleOf } from '../channels/kind-style.ts'
import type { NewDelivery } from '../outbox/delivery.ts'
import type { Notice } from './notice.ts'

const TITLE_UNITS = 500

/** A notice as one delivery a channel: secrets out, texts within limits, what is missing filled in by its kind. */
export const buildDeliveries = (
  notice: Notice,
  kind: NotificationKind | null,
  channels: readonly ChannelName[],
  { redactText }: Pick<Redactor, 'redactText'>,
): NewDelivery[] => {
  const style = styleOf(kind)
  const title = cutToUnits(cleanLine(redactText(notice.title ?? '').value), TITLE_UNITS)
  const message = cutToBytes(cleanText(redactText(notice.message).value), LIMITS.notifyMessageBytes)
  return channels.map((channel) => ({
    channel,
    kind,
    sessionId: notice.sessionId ?? null,
    title: title === '' ? style.title : title,
    message: message.trim() === '' ? style.title : message,
    priority: notice.priority ?? style.priority,
    tags: notice.tags ?? style.tags,
    click: notice.click === undefined ? null : redactText(notice.click).value,
    color: notice.color ?? null,
  }))
}
