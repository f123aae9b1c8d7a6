import type { DaemonClient } from '@steward/contract'
import { requireDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'

export const openAnswerClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, { subject: 'answers', why: 'the daemon passes them on' })
