import type { ChannelName, NotificationKind, Settings } from '@steward/contract'
import { pushSettingsOf } from '../channels/channel-settings.ts'

/**
 * The channels of a notice, without duplicates. Without a kind: push if set up, else the desktop.
 * Voice is implied and not included.
 */
export const routeNotice = (
  kind: NotificationKind | null,
  { notifications }: Pick<Settings, 'notifications'>,
): ChannelName[] => {
  if (kind !== null) return [...new Set(notifications.routing[kind])]
  return pushSettingsOf(notifications)?.enabled === true ? ['push'] : ['desktop']
}
