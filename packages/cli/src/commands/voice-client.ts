import { type DaemonClient, StewardError } from '@steward/contract'
import { resolveHome } from '@steward/memory'
import { findDaemonClient } from '../daemon/find-daemon-client.ts'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'

/** The daemon that runs on the data home, which is the one that speaks. */
export const openVoiceClient = async (io: Io): Promise<DaemonClient> => {
  const client = await findDaemonClient(io)
  if (client !== undefined) return client
  const { root } = resolveHome(io.env, io.homedir)
  const reason = `the daemon speaks, and none runs on ${root}; start one with \`${COMMAND} daemon\``
  throw new StewardError('not_configured', { subject: 'the voice', reason })
}
