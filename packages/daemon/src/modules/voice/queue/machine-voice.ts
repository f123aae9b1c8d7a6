import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, reasonOf } from '@steward/contract'
import { endGroup, holdLock, type Lock, readStartTime } from '@steward/platform'
import type { Log } from '../../../log/log.ts'

/**
 * The right to speak on this machine. Every daemon of a person asks here, whatever its data home, so
 * that there are never two voices. A daemon that was killed leaves its player behind, which nobody
 * can stop any more: whoever speaks next ends it first.
 */
export interface MachineVoice {
  /** Nothing while another daemon speaks. */
  take: () => Lock | undefined
  /** The program that makes the sound now, for whoever comes after a crash. */
  note: (pid: number) => void
}

export interface MachineVoicePorts {
  /** Below the person's own folder. */
  homedir: string
  /** Where the lock is when that folder cannot be written. */
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
      log.warn(`voice: other daemons on this machine cannot be heard of: ${reasonOf(thrown)}`)
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
      writeFileSync(playerFile(), JSON.stringify({ pid, startedAt }), { mode: 0o600 })
    },
  }
}

/** The lock is ours, so the one who noted this player is gone. */
const endOrphan = (file: string, log: Pick<Log, 'warn'>): void => {
  const noted = readNote(file)
  if (noted === undefined) return
  // Process ids are given out again: only the very same process is ended.
  if (noted.startedAt !== undefined && readStartTime(noted.pid) === noted.startedAt) {
    endGroup(noted.pid)
    log.warn('voice: ended a player that a killed daemon had left behind')
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
    // Not there, or cut off by the crash: then there is nobody to name.
    return undefined
  }
}
