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

/**
 * The notice of `--test` and the test button, with characters that a wrong encoding would corrupt.
 */
export const testNotice = (channel: ChannelName): Notice => ({
  title: 'Steward: a test – ✓',
  message: `This is a test of ${channel}. If the next two words are readable, all is well: Grüße, שלום`,
  tags: ['white_check_mark'],
})
