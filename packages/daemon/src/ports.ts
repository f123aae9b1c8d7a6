import type { SessionChanges, SessionCursor } from '@steward/assistants'
import type {
  Announcement,
  AttentionOutcome,
  AttentionRequest,
  ChannelName,
  FlowEntry,
  FlowSource,
  RunRecord,
  SessionSpend,
  SessionSummary,
  VoiceSettings,
} from '@steward/contract'
import type { HostedModelCall, ModelCallMark } from '@steward/hosted'

/**
 * Interfaces between modules. Modules never import each other: they receive these ports, and a port
 * whose module does not run reports so in its result, so that each module can fail alone.
 */

/** The result of an announcement. It is on disk by then. */
export interface AnnouncementAccepted {
  /** False if it will not be spoken; `reason` says why. */
  queued: boolean
  id: string
  queue_depth: number
  /** The same text is already waiting; `id` is the id of the waiting line. */
  merged?: boolean
  truncated?: boolean
  reason?: string
}

/** How an accepted announcement ended. */
export interface AnnouncementEnded {
  outcome: 'spoken' | 'failed' | 'skipped'
  /** The engine that spoke, or why none did. */
  detail: string
}

/** Provided by the voice module. */
export interface Speech {
  /**
   * Queues an announcement. Never rejects: without a running voice module it is not queued.
   * `onEnded` is called once, when the line was spoken, failed or was skipped.
   */
  announce: (
    announcement: Announcement,
    onEnded?: (end: AnnouncementEnded) => void,
  ) => Promise<AnnouncementAccepted>
}

/** Something a person should know: a silent agent, a failing module, a full disk. */
export interface Notice {
  kind: 'watchdog' | 'backgroundAgent' | 'error' | 'security' | 'longTask' | 'waiting'
  message: string
  /** Spoken instead of the message. */
  spoken?: string
  title?: string
  session_id?: string
  /** Notices with the same key are sent once, also when they are repeated after a crash. */
  key?: string
  /** Overrides the channels that the kind is routed to. */
  channels?: readonly ChannelName[]
}

export interface NoticeSent {
  /** Whether it is on disk. If not, `reason` says why. */
  stored: boolean
  reason?: string
  /** A notice with the same key was sent before. */
  repeated?: true
}

/** Provided by the notify module. */
export interface Notices {
  /** Resolves when the notice is on disk. Never rejects. */
  send: (notice: Notice) => Promise<NoticeSent>
}

/** Notices that can be taken back; also provided by the notify module. */
export interface WithdrawableNotices extends Notices {
  /** Takes back a notice by its key, as far as its channels can. Never rejects. */
  withdraw: (key: string) => Promise<void>
}

/** A call of a hosted agent that needs a permission. */
export interface HostedCall {
  sessionId: string
  callId: string
  name: string
  tool: string
  /** For people, cut. */
  input: string
  at: string
}

/** Provided by the hosted module. */
export interface HostedSessions {
  /** Sessions that are not archived; empty if no server runs. Never rejects. */
  list: () => Promise<readonly SessionSummary[]>
}

/** Provided by the hosted module. */
export interface HostedCalls {
  /** Empty if no server runs. */
  waiting: () => Promise<readonly HostedCall[]>
  /** Rejects with the server's error, or with `module_failed` if none runs. */
  answer: (
    call: Pick<HostedCall, 'sessionId' | 'callId'>,
    decision: { allow: boolean; message?: string },
  ) => Promise<void>
}

/** Provided by the hosted module. */
export interface HostedUsage {
  /** The store of a running server, unless it is a file; undefined if none runs. */
  store: () => Promise<HostedUsageStore | undefined>
}

interface HostedUsageStore {
  /** Its address without a password. */
  place: string
  callsAfter: (mark: ModelCallMark, limit: number) => Promise<readonly HostedModelCall[]>
}

/** Provided by the attention module. */
export interface Asking {
  /**
   * Steward drives this session: its hooks do not ask, and its person answers through Steward.
   * `send` passes on a message to it. Returns the function that releases it. Never rejects.
   */
  claim: (sessionId: string, send: (text: string) => Promise<unknown>) => Promise<() => void>
  /** Waits for the answer to a request; rejects if the module stops or is not running. */
  ask: (request: AttentionRequest, signal: AbortSignal) => Promise<AttentionOutcome>
  /** How many requests wait for an answer; 0 if the module is not running. Never rejects. */
  countOpen: () => Promise<number>
  /** Gives a text to the hook that keeps the finished turn of a session open; false if none does. */
  reply: (sessionId: string, text: string) => Promise<boolean>
}

/** Provided by the history module. */
export interface Replying {
  /** Finds a session by its id, the beginning of it, or `last`. */
  find: (id: string) => Promise<SessionSummary>
  /** Passes a text to a session that a person started: to its open turn, or by resuming it. */
  reply: (session: SessionSummary, text: string) => Promise<'reply' | 'resume'>
}

/** Provided by the usage module. */
export interface UsageOfSessions {
  /** Null if no model call of the session is known, or the module does not run. Never rejects. */
  of: (session: string) => Promise<SessionSpend | null>
  /** The known cost of each of these sessions, in USD. Never rejects. */
  costs: (sessions: readonly string[]) => Promise<ReadonlyMap<string, number>>
  /** Sessions that are new in the assistants' own records, or active since then. Never rejects. */
  changes: (since: SessionCursor) => Promise<SessionChanges>
}

/** A message as the assistant would say it. */
export interface InCharacter {
  message: string
  /** What its traits add to the settings of its voice. */
  change: VoiceSettings
}

/** Provided by the assistant module. */
export interface ScheduledJobs {
  /** How many tasks and flows are scheduled, and how many of them failed last; never rejects. */
  countJobs: () => Promise<{ scheduled: number; failing: number }>
}

/** Provided by the assistant module. */
export interface AssistantCharacter {
  /** Never rejects: without readable files a message stays as it is. */
  say: (message: string) => Promise<InCharacter>
}

/** Work for the execution module. */
export type RequestedWork =
  | {
      type: 'prompt'
      prompt: string
      tier: 'fast' | 'standard' | 'deep'
      /** Work with the same key is done and paid for once. */
      key: string
      /** Refuse the offline model. */
      needsModel?: true
    }
  | {
      type: 'flow'
      name: string
      /** A run with the same key is done once; an interrupted one is continued. */
      key: string
    }
  | { type: 'script'; command: readonly string[]; timeoutMs: number }

/** The result of requested work, for people. */
export interface WorkOutcome {
  detail: string
  /** The model that answered. */
  model?: string
}

/** A flow with its schedule. */
export interface ScheduledFlow extends Pick<FlowEntry, 'id' | 'name' | 'schedule'> {
  sourceType: FlowSource['type']
}

/** Provided by the execution module. */
export interface Execution {
  /** Rejects with the work's error, or with `module_failed` if the module is not running. */
  perform: (work: RequestedWork, signal: AbortSignal) => Promise<WorkOutcome>
  /** Undefined if the flows are not known: the module is not running. */
  listFlows: () => Promise<readonly ScheduledFlow[] | undefined>
  /** The last top-level runs, newest first; none if the module is not running. */
  listRuns: (limit: number) => Promise<readonly RunRecord[]>
}
