import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { type Home, holdLock, type Lock } from '@steward/platform'

/** One team per session: two would vote, and pay, twice. */
export const lockSession = (home: Home, session: string): Lock => {
  // A session's id comes from its host and may hold anything.
  const name = createHash('sha256').update(session).digest('hex')
  const lock = holdLock(join(home.databases, 'observers', `${name}.lock`))
  if (lock !== undefined) return lock
  const subject = `an observer team of ${session}`
  throw new StewardError('run_active', { subject, reason: 'one is enough' })
}
