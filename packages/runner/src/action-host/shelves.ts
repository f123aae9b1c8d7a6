import type { ActionHost } from './action-host.ts'
import type { HostedAction } from './start-host-process.ts'

export interface PooledAction extends HostedAction {
  /** Of everything that determines what the action does: changed code gets a new host. */
  hash: string
}

export interface Waiter {
  take: (host: ActionHost) => void
  reject: (reason: unknown) => void
}

/** The hosts of one version of one action. */
export interface Shelf {
  action: PooledAction
  hosts: ActionHost[]
  idle: ActionHost[]
  size: number
  starting: number
  waiters: Waiter[]
  /** How often a host became free. */
  freed: number
}

/** The shelves of all actions that have hosts or wait for one. */
export interface Shelves {
  of: (action: PooledAction) => Shelf
  all: () => Shelf[]
  remove: (shelf: Shelf) => void
  /** The hosts of all actions together. */
  countHosts: () => number
}

export const createShelves = (): Shelves => {
  const shelves = new Map<string, Shelf>()
  const keys = new WeakMap<PooledAction, string>()

  const keyOf = (action: PooledAction): string => {
    const known = keys.get(action)
    if (known !== undefined) return known
    const key = `${action.file}\0${action.hash}`
    keys.set(action, key)
    return key
  }
  return {
    of: (action) => {
      const key = keyOf(action)
      const known = shelves.get(key)
      if (known !== undefined) return known
      const made = { action, hosts: [], idle: [], size: 0, starting: 0, waiters: [], freed: 0 }
      shelves.set(key, made)
      return made
    },
    all: () => [...shelves.values()],
    remove: ({ action }) => void shelves.delete(keyOf(action)),
    countHosts: () => [...shelves.values()].reduce((sum, { size }) => sum + size, 0),
  }
}
