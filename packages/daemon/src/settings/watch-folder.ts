import { watch } from 'node:fs'
import { reasonOf } from '@steward/contract'

/**
 * Calls back when a folder changes. If watching is not supported, that is logged once, because
 * callers also poll.
 */
export const createWatchFolder =
  (warn: (message: string) => void) =>
  (path: string, onChange: () => void): (() => void) => {
    const giveUp = (thrown: unknown) =>
      warn(`file watching unavailable; polling every second: ${reasonOf(thrown)}`)
    try {
      const watcher = watch(path, { persistent: false }, onChange)
      watcher.on('error', giveUp)
      return () => watcher.close()
    } catch (thrown) {
      giveUp(thrown)
      return () => undefined
    }
  }
