import { statSync } from 'node:fs'

/** Where SQLite writes first; every commit, of whichever process, changes it. */
const fileOf = (database: string): string => `${database}-wal`

/** Calls back when the history changed: other processes run things too. */
export const watchHistory = (
  { databases, historyDatabase }: { databases: string; historyDatabase: string },
  watchFolder: (path: string, onChange: () => void) => () => void,
  onChange: () => void,
): (() => void) => {
  const look = (): string => {
    const found = statSync(fileOf(historyDatabase), { throwIfNoEntry: false })
    return `${found?.size} ${found?.mtimeMs}`
  }
  let seen = look()
  // The folder holds other databases as well.
  return watchFolder(databases, () => {
    const now = look()
    if (now === seen) return
    seen = now
    onChange()
  })
}
