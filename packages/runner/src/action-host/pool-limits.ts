import { availableParallelism } from 'node:os'

export interface PoolLimits {
  /** Hosts of all actions together. */
  hosts: number
  /** Hosts of one action. */
  hostsPerAction: number
  /** A host that served this many calls is replaced. */
  calls: number
  idleMs: number
  /** How long a call waits for a busy host before another one is started: about what a start takes. */
  growMs: number
  /**
   * Beyond so many hosts of an action, one is added only if none of them became free for `stuckMs`:
   * on a busy machine, more processes would take the time of those that work.
   */
  busyHosts: number
  stuckMs: number
}

export const DEFAULT_LIMITS: PoolLimits = {
  hosts: 32,
  hostsPerAction: 8,
  calls: 10_000,
  idleMs: 60_000,
  growMs: 20,
  busyHosts: availableParallelism(),
  stuckMs: 100,
}
