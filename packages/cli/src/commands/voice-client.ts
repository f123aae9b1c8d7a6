import { readFile } from 'node:fs/promises'
import { createDaemonClient, type DaemonClient, reasonOf, StewardError } from '@steward/contract'
import { findDaemon } from '@steward/daemon'
import { resolveHome } from '@steward/memory'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'

const ANSWER_MS = 60_000

/** The daemon that runs on the data home, which is the one that speaks. */
export const openVoiceClient = async (io: Io): Promise<DaemonClient> => {
  const home = resolveHome(io.env, io.homedir)
  const daemon = await findDaemon(home)
  if (daemon === undefined) {
    const reason = `the daemon speaks, and none runs on ${home.root}; start one with \`${COMMAND} daemon\``
    throw new StewardError('not_configured', { subject: 'the voice', reason })
  }
  const send = (url: string, init: RequestInit) =>
    fetch(url, { ...init, signal: AbortSignal.any([io.signal, AbortSignal.timeout(ANSWER_MS)]) })
  return createDaemonClient({
    base: daemon.address,
    fetch: send,
    token: await readToken(home.token),
  })
}

const readToken = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (thrown) {
    throw new StewardError('storage_failed', { path, reason: reasonOf(thrown) }, thrown)
  }
}
