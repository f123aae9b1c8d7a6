import type { DaemonClient } from '@steward/contract'
import { requireDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'

/** The daemon waits a minute for each step of the start of an assistant. */
const START_MS = 200_000

export const openSessionsClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, {
    subject: 'the list of sessions',
    why: 'the daemon keeps it',
    waitMs: START_MS,
  })

/** The beginning of an id that lists show; commands accept it. */
export const ID_CHARS = 8
