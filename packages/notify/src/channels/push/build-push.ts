import { cleanLine, cleanText } from '../clean-text.ts'
import { cutToBytes, cutToUnits } from '../cut-text.ts'
import { type OutgoingMessage, type PushButton, textOf } from '../outgoing-message.ts'
import { encodeHeader } from './encode-header.ts'

export interface PushRequest {
  headers: Record<string, string>
  body: string
}

/** ntfy's limit: a longer text would arrive as an attached file. */
const BODY_BYTES = 4096
const TITLE_UNITS = 200
const TAGS = 5
const TAG_UNITS = 50
const CLICK_UNITS = 2000

/** The texts of a message for a push server. */
export const pushTextsOf = (message: OutgoingMessage): { title: string; body: string } => ({
  title: cutToUnits(cleanLine(message.title), TITLE_UNITS),
  body: cutToBytes(cleanText(textOf(message)), BODY_BYTES),
})

/** The request to `https://{server}/{topic}`. */
export const buildPush = (message: OutgoingMessage): PushRequest => {
  const tags = message.tags.map(cleanTag).filter((tag) => tag !== '')
  const click = readClick(message.click)
  const { title, body } = pushTextsOf(message)
  return {
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      Title: encodeHeader(title),
      Priority: String(message.priority),
      ...(tags.length === 0 ? {} : { Tags: encodeHeader(tags.slice(0, TAGS).join(',')) }),
      ...(click === undefined ? {} : { Click: click }),
      ...(message.buttons === undefined ? {} : { Actions: buildActions(message.buttons) }),
      // ntfy 2.16 and later uses it to report whether it has the message, and shows a repeat in
      // place of the first.
      'X-Sequence-ID': message.id,
    },
    body,
  }
}

const BUTTONS = 3
const LABEL_UNITS = 40

/** The `http` actions of ntfy, which the phone itself sends. */
const buildActions = (buttons: readonly PushButton[]): string =>
  encodeHeader(
    JSON.stringify(
      buttons.slice(0, BUTTONS).map(({ label, address, body }) => ({
        action: 'http',
        label: cutToUnits(cleanLine(label), LABEL_UNITS),
        url: address,
        method: 'POST',
        body,
        clear: true,
      })),
    ),
  )

const cleanTag = (tag: string): string => cutToUnits(cleanLine(tag.replaceAll(',', ' ')), TAG_UNITS)

/** Normalised by the URL parser, which gives ASCII without spaces. */
const readClick = (click: string | null): string | undefined => {
  const address = click === null ? null : URL.parse(click)
  if (address === null || address.href.length > CLICK_UNITS) return undefined
  return /^https?:$/.test(address.protocol) ? address.href : undefined
}
