import { type DaemonClient, StewardError } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'
import { findDaemonClient } from './find-daemon-client.ts'

/** The daemon that runs on the data home, for what only a running one can do. */
export const requireDaemonClient = async (
  io: Io,
  { subject, why }: { subject: string; why: string },
): Promise<DaemonClient> => {
  const client = await findDaemonClient(io)
  if (client !== undefined) return client
  const { root } = resolveHome(io.env, io.homedir)
  const reason = `${why}, and none runs on ${root}; start one with \`${COMMAND} daemon\``
  throw new StewardError('not_configured', { subject, reason })
}
