import { type DaemonClient, StewardError } from '@steward/contract'
import { resolveHome } from '@steward/memory'
import { findDaemonClient } from '../daemon/find-daemon-client.ts'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'

/** The daemon that runs on the data home: it keeps the assistant's tasks. */
export const openAssistantClient = async (io: Io): Promise<DaemonClient> => {
  const client = await findDaemonClient(io)
  if (client !== undefined) return client
  const { root } = resolveHome(io.env, io.homedir)
  const reason = `the daemon keeps it, and none runs on ${root}; start one with \`${COMMAND} daemon\``
  throw new StewardError('not_configured', { subject: 'the assistant', reason })
}
