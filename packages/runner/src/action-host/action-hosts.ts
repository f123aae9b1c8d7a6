import { type ActionContextV2, type JsonObject, StewardError } from '@steward/contract'
import {
  DEFAULT_PATH,
  detectSandbox,
  findCommand,
  type StartTimer,
  startSystemTimer,
} from '@steward/platform'
import { type ActionHost, type Inspection, startActionHost } from './action-host.ts'
import { type Held, type HostLease, leaseOf } from './host-lease.ts'
import { DEFAULT_LIMITS, type PoolLimits } from './pool-limits.ts'
import { createShelves, type PooledAction, type Shelf, type Waiter } from './shelves.ts'
import type { HostedAction } from './start-host-process.ts'

/** Runs actions in processes apart from this one, and keeps those processes for the next call. */
export interface ActionHosts {
  /**
   * Waits for a host of that action, which is the caller's until it is released. A call without
   * effects outside may be sent to a busy host `early`; then it must be the call that follows.
   */
  acquire: (action: PooledAction, stop?: AbortSignal, early?: EarlyCall) => Promise<HostLease>
  /** Starts a host for one call that waits for a debugger first. */
  inspect: (action: HostedAction, inspection: Inspection) => Promise<HostLease>
  /** Starts a host, unless there is one, because the action is about to be called. */
  warm: (action: PooledAction) => void
  /** Ends every host. */
  close: () => Promise<void>
}

export interface EarlyCall {
  input: JsonObject
  context: ActionContextV2
}

export interface ActionHostsOptions {
  /** Where bubblewrap is looked for. */
  path?: string
  limits?: Partial<PoolLimits>
  startTimer?: StartTimer
}

export const createActionHosts = (options: ActionHostsOptions = {}): ActionHosts => {
  const { path = DEFAULT_PATH, startTimer = startSystemTimer } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const shelves = createShelves()
  /** With what ends the watch for a host that is no longer used. */
  const alive = new Map<ActionHost, () => void>()
  const starts = new Set<Promise<void>>()
  let isClosed = false
  let bwrap = findBubblewrap(path)

  /** Makes room by ending a host that waits for calls of another action. */
  const hasRoom = (): boolean => {
    if (shelves.countHosts() < limits.hosts) return true
    const shelf = shelves.all().find(({ idle }) => idle.length > 0)
    const oldest = shelf?.idle.shift()
    if (shelf === undefined || oldest === undefined) return false
    remove(shelf, oldest)
    return true
  }

  const grow = (shelf: Shelf): void => {
    const isWanted = shelf.waiters.length > shelf.starting && shelf.size < limits.hostsPerAction
    if (!isClosed && isWanted && hasRoom()) add(shelf)
  }

  const add = (shelf: Shelf): void => {
    const adding = startFor(shelf).finally(() => starts.delete(adding))
    starts.add(adding)
  }

  const startFor = async (shelf: Shelf): Promise<void> => {
    shelf.size += 1
    shelf.starting += 1
    try {
      const host = await start(shelf.action)
      shelf.starting -= 1
      alive.set(host, () => undefined)
      shelf.hosts.push(host)
      watchIdle(shelf, host)
      void host.exited.then(() => remove(shelf, host))
      if (isClosed) host.end()
      else offer(shelf, host)
    } catch (thrown) {
      shelf.starting -= 1
      shelf.size -= 1
      shelf.waiters.shift()?.reject(thrown)
    }
  }

  /** Ends a host that had no call since the last look. A timer for each call would cost more. */
  const watchIdle = (shelf: Shelf, host: ActionHost): void => {
    const calls = host.calls()
    const look = (): void => {
      if (host.calls() === calls && shelf.idle.includes(host)) remove(shelf, host)
      else watchIdle(shelf, host)
    }
    alive.set(host, startTimer(limits.idleMs, look))
  }

  const start = async (action: PooledAction): Promise<ActionHost> => {
    if (bwrap !== undefined) {
      try {
        return await startActionHost(action, { bwrap, startTimer })
      } catch (thrown) {
        // Nothing of the action has run yet. Another cause must not cost all later ones their isolation.
        if ((await detectSandbox({ path })).ok) throw thrown
        bwrap = undefined
      }
    }
    return startActionHost(action, { bwrap, startTimer })
  }

  const remove = (shelf: Shelf, host: ActionHost): void => {
    host.end()
    const endWatch = alive.get(host)
    if (endWatch === undefined) return
    endWatch()
    alive.delete(host)
    shelf.size -= 1
    shelf.hosts = shelf.hosts.filter((each) => each !== host)
    shelf.idle = shelf.idle.filter((each) => each !== host)
    for (const each of shelves.all()) if (each.size === 0) grow(each)
    if (shelf.size === 0 && shelf.waiters.length === 0) shelves.remove(shelf)
  }

  const offer = (shelf: Shelf, host: ActionHost): void => {
    // Calls were sent ahead: the last of them gives it back.
    if (host.isAlive() && host.isBusy()) return
    if (!host.isAlive() || host.calls() >= limits.calls) {
      remove(shelf, host)
      return
    }
    const waiter = shelf.waiters.shift()
    if (waiter !== undefined) {
      waiter.take(host)
      return
    }
    shelf.idle.push(host)
    for (const each of shelves.all()) if (each.size === 0) grow(each)
  }

  const waitFor = (shelf: Shelf, signal: AbortSignal | undefined): Promise<ActionHost> => {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        cancelGrowTimer()
        signal?.removeEventListener('abort', give)
      }
      const waiter: Waiter = {
        take: (host) => {
          settle()
          resolve(host)
        },
        reject: (reason) => {
          settle()
          reject(reason)
        },
      }
      const give = (): void => {
        shelf.waiters = shelf.waiters.filter((each) => each !== waiter)
        waiter.reject(signal?.reason)
      }
      shelf.waiters.push(waiter)
      signal?.addEventListener('abort', give, { once: true })
      const watch = (freed: number, stuckMs: number): (() => void) =>
        startTimer(limits.growMs, () => {
          const isStuck = shelf.freed === freed && shelf.starting === 0
          const nowStuckMs = isStuck ? stuckMs + limits.growMs : 0
          if (nowStuckMs >= limits.stuckMs || shelf.size < limits.busyHosts) grow(shelf)
          cancelGrowTimer = watch(shelf.freed, nowStuckMs)
        })
      let cancelGrowTimer = watch(shelf.freed, 0)
      if (shelf.size === 0) grow(shelf)
    })
  }

  /** Sends the call to a busy host, if its calls are quick; undefined if it does not come to it. */
  const sendEarly = async (shelf: Shelf, early: EarlyCall): Promise<Held | undefined> => {
    const isQuick = (host: ActionHost) =>
      host.isBusy() && host.takesAhead() && host.calls() < limits.calls
    const host = shelf.waiters.length === 0 ? shelf.hosts.find(isQuick) : undefined
    if (host === undefined) return undefined
    const ahead = host.sendAhead(early.input, early.context)
    return (await ahead.reached) ? { host, ahead } : undefined
  }

  const hold = async (
    shelf: Shelf,
    stop: AbortSignal | undefined,
    early: EarlyCall | undefined,
  ): Promise<Held> => {
    if (isClosed) throw closedError()
    stop?.throwIfAborted()
    const held = early === undefined ? undefined : await sendEarly(shelf, early)
    if (held !== undefined) return held
    if (isClosed) throw closedError()
    return { host: shelf.idle.pop() ?? (await waitFor(shelf, stop)) }
  }

  const giveBack = (shelf: Shelf, { host, ahead }: Held): void => {
    shelf.freed += 1
    if (ahead === undefined) offer(shelf, host)
    else ahead.leave(() => offer(shelf, host))
  }

  return {
    acquire: async (action, stop, early) => {
      const shelf = shelves.of(action)
      return leaseOf(await hold(shelf, stop, early), {
        replace: () => hold(shelf, stop, undefined),
        giveBack: (held) => giveBack(shelf, held),
      })
    },
    inspect: async (action, inspection) => {
      if (isClosed) throw closedError()
      inspection.stop?.throwIfAborted()
      const host = await startActionHost(action, { bwrap, startTimer, inspection })
      alive.set(host, () => undefined)
      void host.exited.then(() => alive.delete(host))
      return { isolation: host.isolation, call: host.call, release: host.end }
    },
    warm: (action) => {
      const shelf = shelves.of(action)
      if (!isClosed && shelf.size === 0 && shelves.countHosts() < limits.hosts) add(shelf)
    },
    close: async () => {
      isClosed = true
      for (const shelf of shelves.all()) {
        for (const waiter of shelf.waiters.splice(0)) waiter.reject(closedError())
      }
      await Promise.all(starts)
      for (const endWatch of alive.values()) endWatch()
      const ending = [...alive.keys()]
      for (const host of ending) host.end()
      await Promise.all(ending.map(({ exited }) => exited))
    },
  }
}

const closedError = (): StewardError =>
  new StewardError('internal', { reason: 'the runner is closed and starts no more actions' })

const findBubblewrap = (path: string): string | undefined => {
  if (process.platform !== 'linux') return undefined
  const found = findCommand('bwrap', `${path}:${DEFAULT_PATH}`)
  return found.ok ? found.value : undefined
}
