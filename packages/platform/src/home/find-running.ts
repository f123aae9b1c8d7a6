import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTED_SERVER_FILE } from '@steward/contract'
import { z } from 'zod'
import { isLockHeld } from '../locks/lock.ts'
import { isAlive } from '../processes/start-time.ts'
import type { Home } from './home.ts'

/** Describes the processes that use the databases of a data home; undefined if there are none. */
export const findRunning = (home: Home): string | undefined => {
  if (isLockHeld(join(home.databases, 'daemon.lock'))) return 'a daemon runs on it'
  if (isLockHeld(join(home.databases, 'edge', 'lock'))) return 'a local edge runs on it'
  const owners = join(home.databases, 'owners')
  const names = existsSync(owners) ? readdirSync(owners) : []
  if (names.some((name) => isLockHeld(join(owners, name)))) return 'runs are active on it'
  return isHostedServerAlive(home) ? 'a server of hosted agents runs on it' : undefined
}

const shown = z.looseObject({ pid: z.int() })

/** A server that was killed leaves the file behind. */
const isHostedServerAlive = (home: Home): boolean => {
  try {
    const text = readFileSync(join(home.root, HOSTED_SERVER_FILE), 'utf8')
    return isAlive(shown.parse(JSON.parse(text)).pid)
  } catch {
    return false
  }
}
