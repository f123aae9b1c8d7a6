import {
  type HostName,
  type KnowledgeDomain,
  type LiveTopic,
  reasonOf,
  type Settings,
  type StewardEvent,
  type WorkState,
} from '@steward/contract'
import type { Log } from '../log/log.ts'
import type { Notice } from '../ports.ts'

export interface NoteChange {
  domain: KnowledgeDomain
  slug: string
  kind: 'added' | 'changed' | 'removed'
}

/** Facts that modules publish. A module that needs a reply receives a port instead (`ports.ts`). */
interface Topics {
  /**
   * Normalised rows that were appended to the source logs or pushed, in the order of their source.
   */
  'events.arrived': { events: readonly StewardEvent[] }
  /** `work.json` was replaced by any program. */
  'work-state.changed': { state: WorkState }
  /** Notes of the knowledge archive were added, changed or removed by any program. */
  'knowledge.changed': { changes: readonly NoteChange[] }
  /** Pages about these topics may be outdated; for changes that no other topic reports. */
  'live.changed': { topics: readonly LiveTopic[] }
  /** The assistant of a driven session reported a cost. */
  'turn.cost': {
    assistant: HostName
    session: string
    /** Of the session so far; `costUsd` is what was added. */
    totalUsd: number
    project: string
    branch: string | null
    atMs: number
    costUsd: number
  }
  /** `settings.json` or `.env` changed and is valid. */
  'settings.changed': { settings: Settings }
  /** Something happened that a person should know. */
  notice: Notice
}

export type Topic = keyof Topics

export interface Bus {
  publish: <T extends Topic>(topic: T, message: Topics[T]) => void
  /** Returns the function that unsubscribes. */
  subscribe: <T extends Topic>(topic: T, listener: (message: Topics[T]) => void) => () => void
}

export interface HeldBus extends Bus {
  /** Delivers held messages in order; later ones are delivered immediately. */
  release: () => void
}

/**
 * A bus for daemon start-up: messages are held until `release`, so that modules that start later
 * miss nothing.
 */
export const createHeldBus = (log: Log): HeldBus => {
  const bus = createBus(log)
  let held: (() => void)[] | undefined = []
  return {
    subscribe: bus.subscribe,
    publish: (topic, message) => {
      const deliver = () => bus.publish(topic, message)
      if (held === undefined) deliver()
      else held.push(deliver)
    },
    release: () => {
      const due = held ?? []
      held = undefined
      for (const deliver of due) deliver()
    },
  }
}

/**
 * Listeners are called synchronously and in order; an exception is logged and does not stop the
 * others.
 */
export const createBus = (log: Log): Bus => {
  const listeners: { [T in Topic]: Set<(message: Topics[T]) => void> } = {
    'events.arrived': new Set(),
    'work-state.changed': new Set(),
    'knowledge.changed': new Set(),
    'live.changed': new Set(),
    'turn.cost': new Set(),
    'settings.changed': new Set(),
    notice: new Set(),
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
