import type { DaemonClient } from '@steward/contract'
import { requireDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'

export const openAssistantClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, { subject: 'the assistant', why: 'the daemon manages it' })
