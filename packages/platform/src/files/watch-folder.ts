import { mkdirSync, watch } from 'node:fs'
import { reasonOf } from '@steward/contract'

/** Tells of changes in a folder by name. Nothing comes back when it cannot be watched; then one has to look. */
export type WatchFolder = (
  folder: string,
  listener: { onChange: (name: string | null) => void; onEnd: () => void },
) => (() => void) | undefined

/** Watches with the system's means; why it cannot is told once for each folder. */
export const createWatchFolder = (
  warn: (message: string) => void,
  /** A folder that is not there yet is made: otherwise its first file would be missed. */
  { makeMissing = false } = {},
): WatchFolder => {
  const reported = new Set<string>()
  const report = (folder: string, thrown: unknown): void => {
    if (reported.has(folder)) return
    reported.add(folder)
    warn(`${folder} cannot be watched, it is looked at instead: ${reasonOf(thrown)}`)
  }
  return (folder, { onChange, onEnd }) => {
    try {
      if (makeMissing) mkdirSync(folder, { recursive: true, mode: 0o700 })
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        onChange(name)
        // The folder itself was moved or removed: what is at its place now is another one.
        if (kind === 'rename' && name !== null && folder.endsWith(`/${name}`)) watcher.close()
      })
      watcher.on('error', (thrown) => {
        report(folder, thrown)
        watcher.close()
      })
      watcher.on('close', onEnd)
      return () => watcher.close()
    } catch (thrown) {
      report(folder, thrown)
      return undefined
    }
  }
}
