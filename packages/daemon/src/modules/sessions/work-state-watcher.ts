import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type Result, reasonOf, StewardError, type WorkState } from '@steward/contract'
import { coalesce, readWorkState } from '@steward/platform'
import type { SessionsPorts } from './ports.ts'

/** Poll interval, as a fallback without a watcher. */
const POLL_MS = 1000

export interface WorkStateWatcher {
  /** `isExpected`: an assistant has used this data home, so a missing file is a fault. */
  start: (isExpected: boolean) => Promise<void>
  stop: () => void
  /** The current file; reread only if it was replaced. */
  read: () => Promise<Result<WorkState>>
  /** The result of the last look. */
  current: () => Result<WorkState>
  /** Unreadable files that were set aside for a person to check. */
  setAside: () => readonly string[]
}

/** Follows `work.json`, whichever program replaces it. */
export const createWorkStateWatcher = (
  {
    home,
    log,
    setTimer,
    watchFolder,
  }: Pick<SessionsPorts, 'home' | 'log' | 'setTimer' | 'watchFolder'>,
  onChange: (state: Result<WorkState>) => void,
): WorkStateWatcher => {
  const path = home.workState
  const folder = dirname(path)
  let current: Result<WorkState> = missing(path)
  let seen: string | undefined
  let aside: readonly string[] = []
  let isExpected = false
  let endWatch = (): void => undefined
  let endPoll = (): void => undefined

  const look = coalesce(async () => {
    const mark = await markOf(path)
    if (mark === seen) return
    current = await readWorkState(home)
    seen = mark
    aside = await namesAside(path)
    if (!current.ok) report(current.error)
    isExpected ||= current.ok
    onChange(current)
  })
  const report = ({ code, message, remedy }: StewardError): void => {
    const isNormal = code === 'work_state_missing' && !isExpected
    log[isNormal ? 'info' : 'error'](`${message}. ${remedy}`)
  }
  const lookSafely = (): void => {
    look().catch((thrown) => log.error(`${path} cannot be checked: ${reasonOf(thrown)}`))
  }
  const lookAround = (): void => {
    lookSafely()
    namesAside(path).then(
      (names) => {
        aside = names
      },
      (thrown) => log.error(`${folder} cannot be checked: ${reasonOf(thrown)}`),
    )
  }
  const poll = (): void => {
    lookSafely()
    endPoll = setTimer(POLL_MS, poll)
  }

  return {
    start: async (expected) => {
      isExpected = expected
      endWatch = watchFolder(folder, lookAround)
      await look()
      endPoll = setTimer(POLL_MS, poll)
    },
    stop: () => {
      endWatch()
      endPoll()
    },
    read: async () => {
      await look()
      return current
    },
    current: () => current,
    setAside: () => aside,
  }
}

const missing = (path: string): Result<WorkState> => ({
  ok: false,
  error: new StewardError('work_state_missing', { path }),
})

/** Changes when the file is replaced or written. */
const markOf = async (path: string): Promise<string> => {
  let found: BigIntStats
  try {
    found = await stat(path, { bigint: true })
  } catch (thrown) {
    return `not there: ${reasonOf(thrown)}`
  }
  return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}

const namesAside = async (path: string): Promise<string[]> => {
  const start = `${basename(path)}.unreadable-`
  const names = await readdir(dirname(path))
  return names.filter((name) => name.startsWith(start)).toSorted()
}
