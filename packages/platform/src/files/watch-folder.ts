import { mkdirSync, watch } from 'node:fs'
import { reasonOf } from '@steward/contract'

/** Reports changes in a folder by name. Returns undefined if the folder cannot be watched and has to be polled. */
export type WatchFolder = (
  folder: string,
  listener: { onChange: (name: string | null) => void; onEnd: () => void },
) => (() => void) | undefined

/** Watches through the operating system; a failure is reported once per folder. */
export const createWatchFolder = (
  warn: (message: string) => void,
  {
    /** Create a missing folder, whose first file would be missed otherwise. */
    makeMissing = false,
    /** Watch the folders below it, too. */
    recursive = false,
    /** What happens if it cannot be watched, for the warning. */
    fallback = 'polling instead',
  } = {},
): WatchFolder => {
  const reported = new Set<string>()
  const report = (folder: string, thrown: unknown): void => {
    if (reported.has(folder)) return
    reported.add(folder)
    warn(`${folder} cannot be watched, ${fallback}: ${reasonOf(thrown)}`)
  }
  return (folder, { onChange, onEnd }) => {
    try {
      if (makeMissing) mkdirSync(folder, { recursive: true, mode: 0o700 })
      const watcher = watch(folder, { persistent: false, recursive }, (kind, name) => {
        onChange(name)
        // The folder itself was moved or removed; a folder with its name is now a different one.
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
