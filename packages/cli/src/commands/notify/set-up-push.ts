import { randomBytes } from 'node:crypto'
import { type Settings, StewardError } from '@steward/contract'
import { changeSettings, type Home } from '@steward/platform'
import type { Io } from '../../io.ts'
import { readNotifierPlace } from '../../notifier/open-notifier.ts'
import { printJson } from '../../output/print-json.ts'

const PREFIX = 'steward-'
const RANDOM_BYTES = 8

/**
 * Creates an unguessable topic, enables push in `settings.json`, and shows once how to subscribe.
 */
export const setUpPush = async (
  io: Io,
  { force, json }: { force: boolean; json: boolean },
): Promise<void> => {
  const { home, settings } = await readNotifierPlace(io)
  const present = presentTopicOf(settings)
  if (present !== undefined && !force) {
    const reason = `a topic already exists, ${present} in ${home.settings}; --force creates a new one, to which phones must subscribe again`
    throw new StewardError('invalid_input', { subject: 'notify --setup push', reason })
  }
  const topic = `${PREFIX}${randomBytes(RANDOM_BYTES).toString('hex')}`
  const { push, ntfy } = settings.notifications
  // Settings under the deprecated name are ignored once `push` exists.
  const olderServer = push === undefined ? ntfy?.server : undefined
  const changed = await changeSettings(home, ['notifications', 'push'], {
    enabled: true,
    topic,
    ...(olderServer && { server: olderServer }),
  })
  const server = changed.notifications.push?.server ?? ''
  const address = `${/^https?:\/\//.test(server) ? server : `https://${server}`}/${topic}`
  if (json) return printJson(io.out, { topic, server, subscribe: address })
  io.out.write(explain(address, topic, home))
}

/** The setting's name, not its value. */
const presentTopicOf = ({ notifications: { push, ntfy } }: Settings): string | undefined => {
  if (push?.enabled === true && push.topic !== undefined) return 'notifications.push.topic'
  if (push === undefined && ntfy?.enabled === true && ntfy.topic !== undefined) {
    return 'notifications.ntfy.topic (deprecated name of push)'
  }
  return undefined
}

const explain = (address: string, topic: string, { settings }: Home): string => `\
Push is switched on; the topic is in ${settings}.

Subscribe once, on each device that should notify you:
  phone    install the ntfy app, add a subscription, topic: ${topic}
  browser  ${address}

Anyone who knows the topic can read your notifications, so it is shown only once. Then try it:
  steward notify --test push
`
