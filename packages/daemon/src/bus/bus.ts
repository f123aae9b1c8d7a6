import {
  type ChannelName,
  type KnowledgeDomain,
  type LiveTopic,
  type NotifyRequest,
  type RunRecord,
  reasonOf,
  type Settings,
  type StewardEvent,
  type WorkState,
} from '@steward/contract'
import type { Log } from '../log/log.ts'

/** What someone wants to be said. */
export type Announcement = Pick<
  NotifyRequest,
  | 'message'
  | 'title'
  | 'voice_id'
  | 'voice_name'
  | 'voice_settings'
  | 'voice_enabled'
  | 'volume'
  | 'agent'
  | 'kind'
  | 'session_id'
>

/** What became of an announcement when it was offered. It is on disk by then. */
export interface AnnouncementAccepted {
  /** False when it will not be spoken; `reason` says why. */
  queued: boolean
  id: string
  queue_depth: number
  /** One that says the same already waits; `id` is that one's. */
  merged?: boolean
  truncated?: boolean
  reason?: string
}

/** How an accepted announcement ended. */
export interface AnnouncementEnded {
  outcome: 'spoken' | 'failed' | 'skipped'
  /** Who spoke, or why nobody did. */
  detail: string
}

export interface AnnouncementRequest {
  announcement: Announcement
  /**
   * Called while this is published, with the acceptance to come; never rejects. Not called: nobody
   * here speaks.
   */
  accept: (outcome: Promise<AnnouncementAccepted>) => void
  /** Called once when it was spoken, failed or was skipped, for who waits for that. */
  ended?: (end: AnnouncementEnded) => void
}

export interface NoteChange {
  domain: KnowledgeDomain
  slug: string
  kind: 'added' | 'changed' | 'removed'
}

/** Something to be done by whoever runs things here. */
export type RequestedWork =
  | {
      type: 'prompt'
      prompt: string
      tier: 'fast' | 'standard' | 'deep'
      /** Work with the same key is done and paid for once. */
      key: string
      /** Not worth it without a real model. */
      needsModel?: true
    }
  | { type: 'flow'; name: string }
  | { type: 'script'; command: readonly string[]; timeoutMs: number }

/** What came of it, for people. */
export interface WorkOutcome {
  detail: string
  /** Which model answered. */
  model?: string
}

/** A flow that has a schedule. */
export interface ScheduledFlow {
  name: string
  intervalMinutes: number
  enabled: boolean
}

/** What became of a notice when it was handed over. */
export interface NoticeTaken {
  /** Whether it is on disk. When not, `reason` says why. */
  stored: boolean
  reason?: string
  /** Its key was taken before. */
  repeated?: true
}

/** What modules tell each other. They never import each other: they meet here. */
export interface Topics {
  /** Rows that were appended to the source logs or pushed, normalised, in the order of their source. */
  'events.arrived': { events: readonly StewardEvent[] }
  /** `work.json` was replaced, by whomever. */
  'work-state.changed': { state: WorkState }
  /** Notes of the knowledge archive were added, changed or removed, by whomever. */
  'knowledge.changed': { changes: readonly NoteChange[] }
  /** What pages show of these may be old; for what no other topic here tells. */
  'live.changed': { topics: readonly LiveTopic[] }
  /** `settings.json` or `.env` changed and is valid. */
  'settings.changed': { settings: Settings }
  /** A person should know: the watchdog, a failing module, a full disk. */
  notice: {
    kind: 'watchdog' | 'error' | 'security' | 'longTask'
    message: string
    title?: string
    session_id?: string
    /** Notices with the same key are one: it is told once, also when it comes again after a crash. */
    key?: string
    /** Given when it must be on disk before something else happens: what to wait for. Never rejects. */
    taken?: (outcome: Promise<NoticeTaken>) => void
    /** Instead of the channels that the kind is routed to. */
    channels?: readonly ChannelName[]
  }
  /** Something is to be said. */
  'announcement.requested': AnnouncementRequest
  /** Something is to be done. */
  'work.requested': {
    work: RequestedWork
    signal: AbortSignal
    /** Called while this is published. Not called: nobody here runs anything. */
    accept: (outcome: Promise<WorkOutcome>) => void
  }
  /** Someone wants to know the flows; `take` is called while this is published. */
  'flows.requested': { take: (flows: readonly ScheduledFlow[]) => void }
  /** Someone wants the last runs. `take` is called while this is published; not called: nobody here runs anything. */
  'runs.requested': { limit: number; take: (runs: readonly RunRecord[]) => void }
}

export type Topic = keyof Topics

export interface Bus {
  publish: <T extends Topic>(topic: T, message: Topics[T]) => void
  /** Gives back how to end it. */
  subscribe: <T extends Topic>(topic: T, listener: (message: Topics[T]) => void) => () => void
}

export interface HeldBus extends Bus {
  /** Delivers what was held, in order, and everything later at once. */
  release: () => void
}

/**
 * A bus for a daemon that starts: what nobody waits for is held until `release`, so that modules
 * that start later miss nothing. A message with a callback is delivered at once, since its sender
 * looks for the reply right after publishing.
 */
export const createHeldBus = (log: Log): HeldBus => {
  const bus = createBus(log)
  let held: (() => void)[] | undefined = []
  return {
    subscribe: bus.subscribe,
    publish: (topic, message) => {
      const deliver = () => bus.publish(topic, message)
      if (held === undefined || hasCallback(message)) deliver()
      else held.push(deliver)
    },
    release: () => {
      const due = held ?? []
      held = undefined
      for (const deliver of due) deliver()
    },
  }
}

const hasCallback = (message: object): boolean =>
  Object.values(message).some((value) => typeof value === 'function')

/** Listeners are called at once and in order; one that throws is logged and does not stop the others. */
export const createBus = (log: Log): Bus => {
  const listeners: { [T in Topic]: Set<(message: Topics[T]) => void> } = {
    'events.arrived': new Set(),
    'work-state.changed': new Set(),
    'knowledge.changed': new Set(),
    'live.changed': new Set(),
    'settings.changed': new Set(),
    notice: new Set(),
    'announcement.requested': new Set(),
    'runs.requested': new Set(),
    'work.requested': new Set(),
    'flows.requested': new Set(),
  }
  return {
    publish: (topic, message) => {
      for (const listener of listeners[topic]) {
        try {
          listener(message)
        } catch (thrown) {
          log.error(`a listener of ${topic} failed: ${reasonOf(thrown)}`)
        }
      }
    },
    subscribe: (topic, listener) => {
      listeners[topic].add(listener)
      return () => {
        listeners[topic].delete(listener)
      }
    },
  }
}
