import { statSync } from 'node:fs'
import type { StartTimer } from '@steward/platform'

/** SQLite's write-ahead log; every commit of any process changes it. */
const fileOf = (database: string): string => `${database}-wal`

/** After a change the file is not watched for so long: under load it changes with every commit. */
const REST_MS = 200

/** Calls back when the history changes, because other processes also run things. */
export const watchHistory = (
  { databases, historyDatabase }: { databases: string; historyDatabase: string },
  watchFolder: (path: string, onChange: () => void) => () => void,
  setTimer: StartTimer,
  onChange: () => void,
): (() => void) => {
  const look = (): string => {
    const found = statSync(fileOf(historyDatabase), { throwIfNoEntry: false })
    return `${found?.size} ${found?.mtimeMs}`
  }
  let seen = look()
  let end = (): void => undefined
  /** Returns whether it changed: the folder also contains other databases. */
  const lookAgain = (): boolean => {
    const now = look()
    if (now === seen) return false
    seen = now
    onChange()
    return true
  }
  const watch = (): void => {
    const unwatch = watchFolder(databases, () => {
      if (lookAgain()) rest(unwatch)
    })
    end = unwatch
  }
  const rest = (unwatch: () => void): void => {
    unwatch()
    end = setTimer(REST_MS, () => {
      watch()
      if (lookAgain()) rest(end)
    })
  }
  watch()
  return () => end()
}
