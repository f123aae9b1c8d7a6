import { join } from 'node:path'
import type { Home } from '@steward/platform'
import { z } from 'zod'

/** In the daemon's environment: it has a supervisor, with which it ends. */
export const SUPERVISED = 'STEWARD_SUPERVISED'

/** What the built-in supervisor says of itself in a file; true while it holds its lock. */
export const supervisorState = z.object({
  supervisorPid: z.int(),
  /** Of the daemon, while there is one. */
  pid: z.int().nullable(),
  restarts: z.int().nonnegative(),
  /**
   * `waiting`: it ended badly and is started again after a pause. `ended`: it ended well, by itself.
   * `refused`: another daemon has the data home or the port, so another start would fail too.
   */
  state: z.enum(['running', 'waiting', 'stopping', 'ended', 'refused']),
  lastExit: z.string().nullable(),
  /** The error of a refused start. */
  refusal: z.string().nullable().default(null),
})
export type SupervisorState = z.infer<typeof supervisorState>

export const supervisorFiles = (home: Pick<Home, 'databases'>) => ({
  lock: join(home.databases, 'supervisor.lock'),
  state: join(home.databases, 'supervisor.json'),
  log: join(home.databases, 'daemon.log'),
})
