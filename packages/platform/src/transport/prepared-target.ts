import type { ObservabilityTarget } from '@steward/contract'

/** What is pushed: the name of each also stands in messages. */
export type PushKind = 'events' | 'work state'

/** A target with its address and credentials found: all that a request needs. */
export interface PreparedTarget {
  name: string
  type: ObservabilityTarget['type']
  method: 'POST' | 'PUT'
  addresses: Readonly<Record<PushKind, string>>
  headers: Headers
  timeoutMs: number
  /** Values that must not turn up in what is sent to any target, by name. */
  secrets: Readonly<Record<string, string>>
}
