import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { readStateFile, writeStateFile } from '../files/state-file.ts'
import { holdLock, isLockHeld, type Lock } from '../locks/lock.ts'
import type { Home } from './home.ts'

const daemonInfo = z.object({
  pid: z.int(),
  /** `http://127.0.0.1:31337`. */
  address: z.string(),
  startedAt: z.string(),
})
export type DaemonInfo = z.infer<typeof daemonInfo>

const lockPath = (home: Home): string => join(home.databases, 'daemon.lock')
const infoPath = (home: Home): string => join(home.databases, 'daemon.json')

/**
 * A second lock, outside of `state/`: a daemon still runs when someone has removed that folder, and a
 * second one must not start beside it.
 */
const rootLockPath = (home: Home): string => join(home.root, '.daemon.lock')

/** Whether a daemon starts, runs or stops on this data home. */
export const isHomeClaimed = (home: Home): boolean =>
  isLockHeld(lockPath(home)) || isLockHeld(rootLockPath(home))

/** The daemon on this data home, if any. */
export const findDaemon = async (home: Home): Promise<DaemonInfo | undefined> => {
  if (!isHomeClaimed(home)) return undefined
  return readInfo(home)
}

/** Makes this process the only daemon of the data home; throws `daemon_running` if there is one. */
export const claimHome = async (home: Home): Promise<Lock> => {
  const lock = holdBoth(home)
  if (lock !== undefined) {
    // The file of a killed daemon does not describe this one, which is still starting.
    await removeDaemonInfo(home)
    return lock
  }
  const other = await readInfo(home)
  const reason =
    other === undefined
      ? 'it is starting, or its state folder was removed while it runs'
      : `pid ${other.pid} at ${other.address}`
  throw new StewardError('daemon_running', { reason })
}

const holdBoth = (home: Home): Lock | undefined => {
  const root = holdLock(rootLockPath(home))
  if (root === undefined) return undefined
  const lock = holdLock(lockPath(home))
  if (lock === undefined) {
    root.release()
    return undefined
  }
  return {
    path: lock.path,
    release: () => {
      lock.release()
      root.release()
    },
  }
}

export const writeDaemonInfo = (home: Home, info: DaemonInfo): Promise<void> =>
  writeStateFile(infoPath(home), info)

export const removeDaemonInfo = (home: Home): Promise<void> => rm(infoPath(home), { force: true })

const readInfo = async (home: Home): Promise<DaemonInfo | undefined> => {
  const read = await readStateFile(infoPath(home), daemonInfo.nullable(), null)
  return read.ok ? (read.value ?? undefined) : undefined
}
