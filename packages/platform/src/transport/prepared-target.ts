import type { ObservabilityTarget } from '@steward/contract'

/** The kinds of pushed data; also used in messages. */
export type PushKind = 'events' | 'work state'

/** A target with its resolved address and credentials. */
export interface PreparedTarget {
  name: string
  type: ObservabilityTarget['type']
  method: 'POST' | 'PUT'
  addresses: Readonly<Record<PushKind, string>>
  headers: Headers
  timeoutMs: number
  /** Values that must not be sent to any target, by name. */
  secrets: Readonly<Record<string, string>>
}
