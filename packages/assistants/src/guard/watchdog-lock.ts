import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Home, isLockHeld } from '@steward/platform'

/** Whether `steward watchdog` runs for a session, or for all. */
export const isSessionWatched = (home: Pick<Home, 'databases'>, session: string): boolean => {
  const name = createHash('sha256').update(session).digest('hex')
  return ['all', name].some((each) => isLockHeld(join(home.databases, 'watchdogs', `${each}.lock`)))
}
