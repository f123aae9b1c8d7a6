import type { ChannelName, NotificationKind, Settings } from '@steward/contract'
import { pushSettingsOf } from '../channels/channel-settings.ts'

/**
 * The channels a notice takes, each once. Without a kind it takes the one that reaches the person
 * best: push when there is one, else the desktop. Voice is implied and not among them.
 */
export const routeNotice = (
  kind: NotificationKind | null,
  { notifications }: Pick<Settings, 'notifications'>,
): ChannelName[] => {
  if (kind !== null) return [...new Set(notifications.routing[kind])]
  return pushSettingsOf(notifications)?.enabled === true ? ['push'] : ['desktop']
}
