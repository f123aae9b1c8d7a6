import type { DaemonClient } from '@steward/contract'
import { requireDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'

export const openSessionsClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, { subject: 'the list of sessions', why: 'the daemon keeps it' })

/** The beginning of an id that lists show; commands accept it. */
export const ID_CHARS = 8
