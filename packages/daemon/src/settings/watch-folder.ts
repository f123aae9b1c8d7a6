import { watch } from 'node:fs'
import { reasonOf } from '@steward/contract'

/**
 * Calls back when something in a folder changes. Where the system cannot watch, that is said once:
 * whoever watches polls too.
 */
export const createWatchFolder =
  (warn: (message: string) => void) =>
  (path: string, onChange: () => void): (() => void) => {
    const giveUp = (thrown: unknown) =>
      warn(`changes are seen a second late, the system does not watch: ${reasonOf(thrown)}`)
    try {
      const watcher = watch(path, { persistent: false }, onChange)
      watcher.on('error', giveUp)
      return () => watcher.close()
    } catch (thrown) {
      giveUp(thrown)
      return () => undefined
    }
  }
