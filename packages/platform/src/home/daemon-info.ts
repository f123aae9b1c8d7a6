import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { readStateFile } from '../files/state-file.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
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

/** Whether a daemon is starting, running or stopping on this data home. */
export const isHomeClaimed = (home: Home): boolean => isLockHeld(lockPath(home))

/** The daemon on this data home, if any. */
export const findDaemon = async (home: Home): Promise<DaemonInfo | undefined> => {
  if (!isHomeClaimed(home)) return undefined
  return readInfo(home)
}

/** Makes this process the only daemon of the data home; throws `daemon_running` if there is one. */
export const claimHome = async (home: Home): Promise<Lock> => {
  const lock = holdLock(lockPath(home))
  if (lock !== undefined) {
    // The file of a killed daemon does not describe this one, which is still starting.
    await removeDaemonInfo(home)
    return lock
  }
  const other = await readInfo(home)
  const reason = other === undefined ? 'it is starting' : `pid ${other.pid} at ${other.address}`
  throw new StewardError('daemon_running', { reason })
}

export const writeDaemonInfo = (home: Home, info: DaemonInfo): Promise<void> =>
  writeFileAtomically(infoPath(home), `${JSON.stringify(info, null, 2)}\n`)

export const removeDaemonInfo = (home: Home): Promise<void> => rm(infoPath(home), { force: true })

const readInfo = async (home: Home): Promise<DaemonInfo | undefined> => {
  const read = await readStateFile(infoPath(home), daemonInfo.nullable(), null)
  return read.ok ? (read.value ?? undefined) : undefined
}
