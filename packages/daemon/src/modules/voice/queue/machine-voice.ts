import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, reasonOf } from '@steward/contract'
import { endGroup, holdLock, type Lock, readStartTime, withVersion } from '@steward/platform'
import type { Log } from '../../../log/log.ts'

/**
 * The right to speak on this machine. All daemons of a person share one lock, independent of the
 * data home, so that only one voice speaks. A killed daemon leaves its player running; the next
 * daemon to speak kills it first.
 */
export interface MachineVoice {
  /** Undefined while another daemon speaks. */
  take: () => Lock | undefined
  /** Records the playing program, for cleanup after a crash. */
  note: (pid: number) => void
}

export interface MachineVoicePorts {
  /** The lock is below this directory. */
  homedir: string
  /** Used for the lock if that directory is not writable. */
  fallbackFolder: string
  log: Pick<Log, 'warn'>
}

export const createMachineVoice = ({
  homedir,
  fallbackFolder,
  log,
}: MachineVoicePorts): MachineVoice => {
  let folder = join(homedir, '.local', 'state', 'steward')
  const playerFile = () => join(folder, 'speech-player.json')

  const hold = (): Lock | undefined => {
    try {
      return holdLock(join(folder, 'speech.lock'))
    } catch (thrown) {
      if (folder === fallbackFolder) throw thrown
      log.warn(`voice: cannot coordinate with other daemons on this machine: ${reasonOf(thrown)}`)
      folder = fallbackFolder
      return holdLock(join(folder, 'speech.lock'))
    }
  }

  return {
    take: () => {
      const lock = hold()
      if (lock === undefined) return undefined
      endOrphan(playerFile(), log)
      return {
        path: lock.path,
        release: () => {
          rmSync(playerFile(), { force: true })
          lock.release()
        },
      }
    },
    note: (pid) => {
      const startedAt = readStartTime(pid)
      writeFileSync(playerFile(), JSON.stringify(withVersion({ pid, startedAt })), { mode: 0o600 })
    },
  }
}

/** We hold the lock, so the daemon that noted this player is gone. */
const endOrphan = (file: string, log: Pick<Log, 'warn'>): void => {
  const noted = readNote(file)
  if (noted === undefined) return
  // Process ids are reused, so only the identical process is killed.
  if (noted.startedAt !== undefined && readStartTime(noted.pid) === noted.startedAt) {
    endGroup(noted.pid)
    log.warn('voice: killed a player that a killed daemon left running')
  }
  rmSync(file, { force: true })
}

const readNote = (file: string): { pid: number; startedAt: string | undefined } | undefined => {
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isJsonObject(note) || typeof note.pid !== 'number' || note.pid < 2) return undefined
    return {
      pid: note.pid,
      startedAt: typeof note.startedAt === 'string' ? note.startedAt : undefined,
    }
  } catch {
    // Missing, or truncated by the crash: nothing to clean up.
    return undefined
  }
}
