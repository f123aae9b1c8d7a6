import { join } from 'node:path'
import type { Home } from '@steward/platform'
import { z } from 'zod'

/** Set in the daemon's environment: it has a supervisor and exits with it. */
export const SUPERVISED = 'STEWARD_SUPERVISED'

/** The built-in supervisor's state file; valid while it holds its lock. */
export const supervisorState = z.object({
  supervisorPid: z.int(),
  /** The daemon's process id, while it runs. */
  pid: z.int().nullable(),
  restarts: z.int().nonnegative(),
  /**
   * `waiting`: it failed and is restarted after a pause. `ended`: it exited cleanly. `refused`:
   * another daemon uses the data home or the port, so a restart would fail too.
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
