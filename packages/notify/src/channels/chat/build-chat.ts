import { cleanLine, cleanText } from '../clean-text.ts'
import { cutToUnits } from '../cut-text.ts'
import { styleOf } from '../kind-style.ts'
import { type OutgoingMessage, textOf } from '../outgoing-message.ts'

export type ChatForm = 'discord' | 'slack'

/**
 * The payload format of a webhook: Discord's, detected by host or path, unless the path requests
 * the Slack format; Slack's for all others, which Mattermost, Rocket.Chat and similar services
 * accept.
 */
export const formOfWebhook = ({ hostname, pathname }: URL): ChatForm => {
  if (/\/slack\/?$/.test(pathname)) return 'slack'
  const isDiscord = /(^|\.)discord(app)?\.com$/.test(hostname)
  return isDiscord || /^\/api\/(v\d+\/)?webhooks\/\d+\//.test(pathname) ? 'discord' : 'slack'
}

/** The JSON that is posted to the webhook. */
export const buildChat = (message: OutgoingMessage, form: ChatForm): string =>
  JSON.stringify(form === 'discord' ? buildDiscord(message) : buildSlack(message))

/**
 * A webhook cannot be queried for earlier messages, so the reader is warned of a possible repeat.
 */
const REPEAT = 'Sent again after an interruption: it may be here already.'

const DISCORD_TITLE_UNITS = 256
const DISCORD_DESCRIPTION_UNITS = 4096

const buildDiscord = (message: OutgoingMessage) => ({
  embeds: [
    {
      title: cutToUnits(cleanLine(message.title), DISCORD_TITLE_UNITS),
      description: cutToUnits(cleanText(textOf(message)), DISCORD_DESCRIPTION_UNITS),
      color: colorOf(message),
      timestamp: new Date(message.createdAt).toISOString(),
      ...(message.isRepeat ? { footer: { text: REPEAT } } : {}),
    },
  ],
  // Untrusted text must not mention everyone on a server.
  allowed_mentions: { parse: [] },
})

const SLACK_TITLE_UNITS = 150
/** Slack displays longer texts badly; escaped text stays below its limit of 40,000. */
const SLACK_TEXT_UNITS = 4000

const buildSlack = (message: OutgoingMessage) => {
  const title = escapeSlack(cutToUnits(cleanLine(message.title), SLACK_TITLE_UNITS))
  const text = escapeSlack(cutToUnits(cleanText(textOf(message)), SLACK_TEXT_UNITS))
  return {
    text: title,
    attachments: [
      {
        color: `#${colorOf(message).toString(16).padStart(6, '0')}`,
        fallback: title,
        text,
        ts: Math.floor(message.createdAt / 1000),
        ...(message.isRepeat ? { footer: REPEAT } : {}),
      },
    ],
  }
}

/** Without this `<!channel>` would notify everyone. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const colorOf = ({ color, kind }: OutgoingMessage): number => color ?? styleOf(kind).color
