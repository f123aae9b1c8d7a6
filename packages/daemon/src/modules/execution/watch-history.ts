import { statSync } from 'node:fs'

/** SQLite's write-ahead log; every commit of any process changes it. */
const fileOf = (database: string): string => `${database}-wal`

/** Calls back when the history changes, because other processes also run things. */
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
  // The folder also contains other databases.
  return watchFolder(databases, () => {
    const now = look()
    if (now === seen) return
    seen = now
    onChange()
  })
}
