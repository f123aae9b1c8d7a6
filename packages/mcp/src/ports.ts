import type {
  ChannelName,
  NotificationKind,
  RunDetail,
  RunRecord,
  RunStatus,
  Settings,
} from '@steward/contract'
import type { GeneratedDocument, SourcePlaces } from '@steward/knowledge'
import type { Home, Redactor } from '@steward/platform'

/** All that the server has of the world. Each port is asked anew at every call: a host keeps a server for days. */
export interface StewardMcpPorts {
  home: Home
  now: () => number
  settings: () => Promise<Settings>
  /** Takes secrets out of everything that leaves. */
  redactor: () => Promise<Redactor>
  runs: RunsPort
  notifications: NotificationsPort
  /** Where the wiki's documents are. */
  places: Omit<SourcePlaces, 'settings' | 'home'>
  /** Documents that are in no file, such as those of hooks. */
  generated: () => readonly GeneratedDocument[]
  log: { warn: (message: string) => void }
}

export interface RunsQuery {
  name?: string | undefined
  status?: RunStatus | undefined
  /** Also the runs that a flow started, one an item. */
  all: boolean
  /** Only runs older than this one. */
  before?: string | undefined
  limit: number
}

export interface RunsPort {
  /** Newest first. */
  list: (query: RunsQuery) => Promise<RunRecord[]>
  /** By id, or by the beginning of one. Throws `not_found`. */
  read: (idOrBeginning: string) => Promise<RunDetail>
}

/** A notice on one channel, as the delivery log has it. */
export interface SentNotice {
  id: string
  at: string
  channel: ChannelName
  kind: NotificationKind | null
  title: string
  message: string
  state: string
  attempts: number
  detail: string | null
}

export interface NoticeToSend {
  message: string
  title?: string | undefined
  kind?: NotificationKind | undefined
  channels?: readonly ChannelName[] | undefined
}

export interface NoticeResult {
  id: string
  deliveries: { channel: ChannelName; state: string; detail: string | null }[]
}

export interface NotificationsPort {
  /** Newest first. */
  list: (limit: number) => Promise<SentNotice[]>
  send: (notice: NoticeToSend) => Promise<NoticeResult>
}
