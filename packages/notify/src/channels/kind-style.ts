import type { NotificationKind } from '@steward/contract'
import type { Priority } from './outgoing-message.ts'

interface KindStyle {
  title: string
  priority: Priority
  /** Names that ntfy shows as emoji. */
  tags: readonly string[]
  /** 0xRRGGBB. */
  color: number
}

/** The default style of each kind. */
const STYLES: Readonly<Record<NotificationKind, KindStyle>> = {
  taskComplete: { title: 'Done', priority: 3, tags: ['white_check_mark'], color: 0x57f287 },
  longTask: {
    title: 'Done after a while',
    priority: 3,
    tags: ['hourglass', 'white_check_mark'],
    color: 0x57f287,
  },
  backgroundAgent: {
    title: 'Agent',
    priority: 3,
    tags: ['robot', 'white_check_mark'],
    color: 0x5865f2,
  },
  error: { title: 'Error', priority: 4, tags: ['warning', 'x'], color: 0xed4245 },
  security: { title: 'Security', priority: 5, tags: ['rotating_light'], color: 0xfee75c },
  waiting: { title: 'Waiting for you', priority: 4, tags: ['raised_hand'], color: 0xfaa61a },
}

const PLAIN: KindStyle = { title: 'Steward', priority: 3, tags: [], color: 0x7289da }

export const styleOf = (kind: NotificationKind | null): KindStyle =>
  kind === null ? PLAIN : STYLES[kind]
