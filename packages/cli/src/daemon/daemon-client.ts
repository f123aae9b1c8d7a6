import { createDaemonClient, type DaemonClient, StewardError } from '@steward/contract'
import { findDaemon, readToken, resolveHome } from '@steward/platform'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'

const ANSWER_MS = 60_000

/** A client for the daemon on the data home, with its token; undefined if none runs. */
export const findDaemonClient = async (
  io: Io,
  waitMs = ANSWER_MS,
): Promise<DaemonClient | undefined> => {
  const home = resolveHome(io.env, io.homedir)
  const daemon = await findDaemon(home)
  if (daemon === undefined) return undefined
  const send = (url: string, init: RequestInit) =>
    fetch(url, { ...init, signal: AbortSignal.any([io.signal, AbortSignal.timeout(waitMs)]) })
  return createDaemonClient({
    base: daemon.address,
    fetch: send,
    token: await readToken(home.token),
  })
}

/** The daemon on the data home, for commands that need a running one. */
export const requireDaemonClient = async (
  io: Io,
  { subject, why, waitMs }: { subject: string; why: string; waitMs?: number },
): Promise<DaemonClient> => {
  const client = await findDaemonClient(io, waitMs)
  if (client !== undefined) return client
  const { root } = resolveHome(io.env, io.homedir)
  const reason = `${why}, and none runs on ${root}; start one with \`${COMMAND} daemon\``
  throw new StewardError('not_configured', { subject, reason })
}
