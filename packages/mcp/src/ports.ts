import type {
  ChannelName,
  JsonObject,
  NotificationKind,
  RunDetail,
  RunRecord,
  RunStatus,
  Settings,
} from '@steward/contract'
import type { GeneratedDocument, SourcePlaces } from '@steward/knowledge'
import type { Home, Redactor } from '@steward/platform'

/**
 * The dependencies of the server. Each port is read again at every call, because a host keeps a
 * server for days.
 */
export interface StewardMcpPorts {
  home: Home
  now: () => number
  settings: () => Promise<Settings>
  /** Removes secrets from all output. */
  redactor: () => Promise<Redactor>
  runs: RunsPort
  notifications: NotificationsPort
  /** Offered only if it is asked for, because it is no tool for models. */
  approvals?: ApprovalsPort
  /** The locations of the wiki's documents. */
  places: Omit<SourcePlaces, 'settings' | 'home'>
  /** Documents that are not files, such as those of hooks. */
  generated: () => readonly GeneratedDocument[]
  log: { warn: (message: string) => void }
}

export interface RunsQuery {
  name?: string | undefined
  status?: RunStatus | undefined
  /** Includes runs that a flow started, one per item. */
  all: boolean
  /** Only runs older than this one. */
  before?: string | undefined
  limit: number
}

export interface RunsPort {
  /** Newest first. */
  list: (query: RunsQuery) => Promise<RunRecord[]>
  /** By id or the beginning of one. Throws `not_found`. */
  read: (idOrBeginning: string) => Promise<RunDetail>
}

/** A notice on one channel, as recorded in the delivery log. */
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

export interface ApprovalsPort {
  /** Asks the person whether an assistant may call a tool. Never rejects; silence is a refusal. */
  ask: (
    toolName: string,
    input: JsonObject,
  ) => Promise<
    { behavior: 'allow'; updatedInput: JsonObject } | { behavior: 'deny'; message: string }
  >
}
