import { reasonOf, StewardError } from '@steward/contract'
import type { Clock } from './clock.ts'
import type { Host } from './host.ts'
import { findStorageUsers } from './storage-users.ts'
import { createWorkCount, type WorkCount } from './work-count.ts'

/** The platform's limit for crons and queue batches; work from before a reload gets no more. */
const LONGEST_WORK_MS = 15 * 60_000
/** After this delay the user is informed why new requests have to wait. */
const NOTICE_MS = 2000
/** Maximum number of old processes that may still be finishing. */
const MOST_RETIRED = 4

interface Generation {
  host: Host
  storageUsers: ReadonlySet<string>
  /** Work that may use KV, D1 or R2, including background work. */
  storageWork: WorkCount
  otherWork: WorkCount
  ended: PromiseWithResolvers<void>
  isEnded: boolean
}

/**
 * Replaces the running workerd: calls in progress finish in the old process. Two processes must
 * never share the storage (SQLite would refuse one of them), so calls that use it enter the new
 * process only when the old one has finished with it; all others go there at once.
 */
export interface HostSwitch {
  /** Runs `work` with the worker's current process; rejects after waiting `patienceMs`. */
  use<T>(worker: string, work: (host: Host) => Promise<T>, patienceMs?: number): Promise<T>
  current(): Host | undefined
  /** `storageWork` counts the background work of the host's workers. */
  replace(next: Host, storageWork: WorkCount): void
  /** Ends every process; calls in progress get `graceMs`. */
  close(graceMs: number): Promise<void>
}

export const createHostSwitch = (clock: Clock, warn: (message: string) => void): HostSwitch => {
  let current: Generation | undefined
  /** Resolves when the storage is free for the current process. */
  let storageTurn: Promise<void> | undefined
  const retired = new Set<Generation>()

  /** Whether it resolved in time. */
  const within = (promise: Promise<unknown>, limitMs: number): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const cancel = clock.at(clock.now() + limitMs, () => resolve(false))
      promise.then(() => resolve(true), reject).finally(cancel)
    })

  const end = async (generation: Generation): Promise<void> => {
    retired.delete(generation)
    if (generation.isEnded) return generation.ended.promise
    generation.isEnded = true
    await generation.host
      .dispose()
      .catch((thrown: unknown) => warn(`a process could not be ended: ${reasonOf(thrown)}`))
    generation.ended.resolve()
  }

  const finish = async (generation: Generation, work: WorkCount): Promise<void> => {
    const over = Promise.race([work.idle(), generation.ended.promise])
    if (await within(over, LONGEST_WORK_MS)) return
    warn(
      `reload: ${work.count()} task(s) from before it are ended after ${LONGEST_WORK_MS / 60_000} minutes; messages among them are delivered again`,
    )
    await end(generation)
  }

  const notice = async ({ storageWork, ended }: Generation): Promise<void> => {
    if (await within(Promise.race([storageWork.idle(), ended.promise]), NOTICE_MS)) return
    warn(
      `reload: ${storageWork.count()} task(s) from before it still use the storage; flows wait for them`,
    )
  }

  /** Resolves when the storage is free. */
  const handOver = async (generation: Generation): Promise<void> => {
    retired.add(generation)
    for (const surplus of [...retired].slice(0, -MOST_RETIRED)) {
      warn('reload: too many processes are still busy; the oldest is ended')
      await end(surplus)
    }
    void notice(generation)
    await finish(generation, generation.storageWork)
    if (generation.otherWork.count() === 0) return end(generation)
    void finish(generation, generation.otherWork).then(() => end(generation))
  }

  /** What a worker has to wait for before it may enter. */
  const turnOf = (worker: string): Promise<void> | undefined =>
    current?.storageUsers.has(worker) ? storageTurn : undefined

  return {
    use: async (worker, work, patienceMs) => {
      const giveUpAtMs = patienceMs === undefined ? undefined : clock.now() + patienceMs
      for (let turn = turnOf(worker); turn !== undefined; turn = turnOf(worker)) {
        if (giveUpAtMs === undefined) await turn
        else if (!(await within(turn, giveUpAtMs - clock.now()))) {
          const reason = `work from before the last reload still uses the storage after ${patienceMs} ms`
          throw new StewardError('run_active', { subject: worker, reason })
        }
      }
      if (current === undefined) {
        throw new StewardError('not_configured', {
          subject: 'the local edge',
          reason: 'no worker is running; the errors above say why',
        })
      }
      const { storageUsers, storageWork, otherWork, host } = current
      const over = (storageUsers.has(worker) ? storageWork : otherWork).begin()
      try {
        return await work(host)
      } finally {
        over()
      }
    },
    current: () => current?.host,
    replace: (host, storageWork) => {
      const before = current
      current = {
        host,
        storageUsers: findStorageUsers(host.directories),
        storageWork,
        otherWork: createWorkCount(),
        ended: Promise.withResolvers(),
        isEnded: false,
      }
      if (before === undefined) return
      const turn = Promise.all([storageTurn, handOver(before)]).then(() => {
        if (storageTurn === turn) storageTurn = undefined
      })
      storageTurn = turn
    },
    close: async (graceMs) => {
      const all = [...retired, ...(current === undefined ? [] : [current])]
      current = undefined
      const idle = all.flatMap(({ storageWork, otherWork }) => [
        storageWork.idle(),
        otherWork.idle(),
      ])
      await within(Promise.all(idle), graceMs)
      await Promise.all(all.map(end))
    },
  }
}
