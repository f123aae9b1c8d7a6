import type { DaemonClient } from '@steward/contract'
import { needDaemonClient } from '../daemon/need-daemon-client.ts'
import type { Io } from '../io.ts'

export const openVoiceClient = (io: Io): Promise<DaemonClient> =>
  needDaemonClient(io, { subject: 'the voice', why: 'the daemon speaks' })
