import { type EventSource, reasonOf, type Settings } from '@steward/contract'
import { rotateLog, type StartTimer } from '@steward/platform'
import type { Log } from '../../log/log.ts'

export interface RotationPorts {
  paths: ReadonlyMap<EventSource, string>
  settings: () => Settings
  now: () => number
  setTimer: StartTimer
  log: Pick<Log, 'info' | 'error'>
}

const LOOK_MS = 30_000

/** Rotates logs whose writers do not, and removes expired files. */
export const createRotation = ({ paths, settings, now, setTimer, log }: RotationPorts) => {
  const errors = new Map<EventSource, string>()
  let stopTimer: (() => void) | undefined

  const look = (): void => {
    for (const [source, path] of paths) {
      try {
        if (rotateLog(path, { ...settings().observability.logs, now })) {
          log.info(`the log of ${source} was rotated`)
        }
        errors.delete(source)
      } catch (thrown) {
        const reason = reasonOf(thrown)
        if (errors.get(source) !== reason) log.error(`rotating ${source}: ${reason}`)
        errors.set(source, reason)
      }
    }
    stopTimer = setTimer(LOOK_MS, look)
  }

  return {
    start: look,
    stop: (): void => stopTimer?.(),
    /** Sources whose log could not be rotated, with the reason. */
    errors: (): ReadonlyMap<EventSource, string> => errors,
  }
}
