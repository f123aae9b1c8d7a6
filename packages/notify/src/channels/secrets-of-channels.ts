import { createRedactor, expandVariables, type Redactor, secretsOf } from '@steward/platform'
import { chatSettingsOf, pushSettingsOf } from './channel-settings.ts'
import type { ChannelContext } from './prepare-channel.ts'

/** Secrets of the channels, by name: topic, webhook, passwords. */
export const secretsOfChannels = ({
  settings,
  environment,
}: ChannelContext): Record<string, string> => {
  const { notifications } = settings
  const topic = pushSettingsOf(notifications)?.topic
  const webhook = fillOptional(chatSettingsOf(notifications)?.webhook, environment)
  const smtp = fillOptional(notifications.email.smtp, environment)
  return {
    ...(topic === undefined ? {} : { 'push.topic': topic }),
    ...(webhook === undefined ? {} : { 'chat.webhook': webhook, ...pathOf(webhook) }),
    ...(smtp === undefined ? {} : secretsOf({ 'email.smtp': smtp })),
  }
}

/** Masks these secrets in texts; rebuilt only when the settings or the environment were reread. */
export const createChannelRedactor = (context: () => ChannelContext): (() => Redactor) => {
  let made: { of: ChannelContext; redactor: Redactor } | undefined
  return () => {
    const of = context()
    if (made?.of.settings !== of.settings || made.of.environment !== of.environment) {
      made = { of, redactor: createRedactor(secretsOfChannels(of)) }
    }
    return made.redactor
  }
}

const fillOptional = (
  text: string | undefined,
  environment: ChannelContext['environment'],
): string | undefined => {
  if (text === undefined) return undefined
  const filled = expandVariables(text, environment, 'a channel')
  return filled.ok ? filled.value.text : undefined
}

/** The path alone is enough to post, so it is a secret too. */
const pathOf = (webhook: string): Record<string, string> => {
  const address = URL.parse(webhook)
  if (address === null || address.pathname.length < 8) return {}
  return { 'chat.webhook.path': address.pathname }
}
