import type { DaemonClient } from '@steward/contract'
import { requireDaemonClient } from '../../daemon/require-daemon-client.ts'
import type { Io } from '../../io.ts'

export const openVoiceClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, { subject: 'the voice', why: 'the daemon speaks' })
