import type { Settings } from '@steward/contract'

type Notifications = Settings['notifications']

/** The push settings; the deprecated name `ntfy` applies if there is no `push`. */
export const pushSettingsOf = ({ push, ntfy }: Notifications): Notifications['push'] => push ?? ntfy

/** The chat settings; the deprecated name `discord` applies if there is no `chat`. */
export const chatSettingsOf = ({ chat, discord }: Notifications): Notifications['chat'] =>
  chat ?? discord
