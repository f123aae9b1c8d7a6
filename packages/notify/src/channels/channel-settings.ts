import type { Settings } from '@steward/contract'

type Notifications = Settings['notifications']

/** Push as the settings say it: the older name `ntfy` counts where there is no `push`. */
export const pushSettingsOf = ({ push, ntfy }: Notifications): Notifications['push'] => push ?? ntfy

/** Chat as the settings say it: the older name `discord` counts where there is no `chat`. */
export const chatSettingsOf = ({ chat, discord }: Notifications): Notifications['chat'] =>
  chat ?? discord
