import {
  type ChannelName,
  fail,
  ok,
  type Result,
  reasonOf,
  type Settings,
  StewardError,
} from '@steward/contract'
import { type Environment, expandVariables } from '@steward/platform'
import type { AskOutcome } from './ask-outcome.ts'
import { chatSettingsOf, pushSettingsOf } from './channel-settings.ts'
import { parseWebhook, sendChat } from './chat/send-chat.ts'
import { type DesktopPorts, sendDesktop } from './desktop/send-desktop.ts'
import { buildMail } from './email/build-mail.ts'
import type { SendMail } from './email/send-mail.ts'
import { parseSmtpUrl } from './email/smtp-server.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import { askPush } from './push/ask-push.ts'
import { addressOfPush, retractPush, sendPush } from './push/send-push.ts'
import type { SendOutcome } from './send-outcome.ts'
import { retractWebPush, sendWebPush, type WebPushPorts } from './webpush/send-web-push.ts'
import { readWebPush } from './webpush/subscriptions.ts'

export interface ChannelPorts extends WebPushPorts, DesktopPorts {
  sendMail: SendMail
}

export interface ChannelContext {
  settings: Settings
  environment: Environment
}

/** A notification channel. Neither function throws. */
export interface Channel {
  send: (message: OutgoingMessage) => Promise<SendOutcome>
  /**
   * Queries whether it has this message of an attempt that started this long ago; absent if the
   * channel cannot be queried.
   */
  ask?: (message: OutgoingMessage, elapsedMs: number) => Promise<AskOutcome>
  /** Removes a delivered message, as far as the service can. */
  retract?: (message: OutgoingMessage) => Promise<void>
}

/** A channel from the current settings, or what is missing and how to set it. */
export const prepareChannel = (
  name: ChannelName,
  context: ChannelContext,
  ports: ChannelPorts,
): Result<Channel> => PREPARE[name](context, ports)

const PREPARE: Readonly<
  Record<ChannelName, (context: ChannelContext, ports: ChannelPorts) => Result<Channel>>
> = {
  push: ({ settings, environment }, ports) => {
    const push = pushSettingsOf(settings.notifications)
    if (push === undefined) return unset('push', 'run `steward notify --setup push`')
    if (!push.enabled) return unset('push', 'notifications.push.enabled is false')
    if (push.topic === undefined) {
      return unset('push', 'there is no topic: run `steward notify --setup push`')
    }
    const address = addressOfPush({ server: push.server, topic: push.topic })
    if (!address.ok) return address
    const token = environment.NTFY_TOKEN
    const target = { address: address.value, ...(token ? { token } : {}) }
    return ok({
      send: (message) => sendPush(message, target, ports),
      ask: (message, elapsedMs) => askPush(message, elapsedMs, target, ports),
      retract: (message) => retractPush(message, target, ports),
    })
  },
  chat: ({ settings, environment }, ports) => {
    const chat = chatSettingsOf(settings.notifications)
    if (chat === undefined) return unset('chat', 'set notifications.chat in settings.json')
    if (!chat.enabled) return unset('chat', 'notifications.chat.enabled is false')
    if (chat.webhook === undefined) return unset('chat', 'notifications.chat.webhook is not set')
    const filled = expandVariables(chat.webhook, environment, 'chat')
    if (!filled.ok) return filled
    const webhook = parseWebhook(filled.value.text)
    if (!webhook.ok) return webhook
    return ok({ send: (message) => sendChat(message, webhook.value, ports) })
  },
  desktop: ({ settings }, ports) => {
    if (settings.notifications.desktop.enabled) {
      return ok({ send: (message) => sendDesktop(message, ports) })
    }
    return unset('desktop', 'notifications.desktop.enabled is false')
  },
  email: ({ settings, environment }, ports) => {
    const { enabled, to, from = to, smtp } = settings.notifications.email
    if (!enabled) return unset('email', 'notifications.email.enabled is false')
    if (to === undefined || from === undefined) {
      return unset('email', 'notifications.email.to is not set')
    }
    const filled = expandVariables(smtp, environment, 'email')
    if (!filled.ok) return filled
    const server = parseSmtpUrl(filled.value.text)
    if (!server.ok) return server
    return ok({
      send: (message) => ports.sendMail(buildMail(message, { from, to }), server.value),
    })
  },
  webpush: ({ settings }, ports) => {
    try {
      if (readWebPush(ports.home).subscriptions.length === 0) {
        return unset('webpush', 'no browser has subscribed: see docs/phone.md')
      }
    } catch (thrown) {
      return unset('webpush', `the subscriptions cannot be read: ${reasonOf(thrown)}`)
    }
    const contact = contactOf(settings)
    return ok({
      send: (message) => sendWebPush(message, contact, ports),
      retract: (message) => retractWebPush(message, contact, ports),
    })
  },
}

/** Whom a push service tells of problems with our messages. It never writes otherwise. */
const contactOf = ({ notifications, edge }: Settings): string => {
  const { webpush, email } = notifications
  if (webpush.contact !== undefined) return webpush.contact
  if (email.to !== undefined) return `mailto:${email.to}`
  const relay = edge.workers['exec-relay']
  if (relay?.startsWith('https:')) return new URL(relay).origin
  // The library and some services want one; this address has no recipient (RFC 2606).
  return 'mailto:nobody@example.com'
}

const unset = (subject: ChannelName, reason: string): { ok: false; error: StewardError } =>
  fail(new StewardError('not_configured', { subject, reason }))
