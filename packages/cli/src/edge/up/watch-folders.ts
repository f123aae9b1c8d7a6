import { existsSync, type FSWatcher, watch } from 'node:fs'
import { reasonOf } from '@steward/contract'

/** An editor writes a file in several steps, and a checkout many files. */
const DEBOUNCE_MS = 150

/** Calls back a moment after anything in the folders changed; the answer ends it. */
export const watchFolders = (
  folders: readonly string[],
  onChange: () => void,
  warn: (message: string) => void,
): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  const note = () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, DEBOUNCE_MS)
  }
  const watchers: FSWatcher[] = folders
    .filter(existsSync)
    .map((folder) =>
      watch(folder, { recursive: true }, note).on('error', (thrown) =>
        warn(`changes in ${folder} are no longer seen: ${reasonOf(thrown)}`),
      ),
    )
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
