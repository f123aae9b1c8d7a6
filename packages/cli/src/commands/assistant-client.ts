import { readFile } from 'node:fs/promises'
import { createDaemonClient, type DaemonClient, reasonOf, StewardError } from '@steward/contract'
import { findDaemon } from '@steward/daemon'
import { resolveHome } from '@steward/memory'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'

const ANSWER_MS = 60_000

/** The daemon that runs on the data home: it keeps the assistant's tasks. */
export const openAssistantClient = async (io: Io): Promise<DaemonClient> => {
  const home = resolveHome(io.env, io.homedir)
  const daemon = await findDaemon(home)
  if (daemon === undefined) {
    const reason = `the daemon keeps it, and none runs on ${home.root}; start one with \`${COMMAND} daemon\``
    throw new StewardError('not_configured', { subject: 'the assistant', reason })
  }
  const send = (url: string, init: RequestInit) =>
    fetch(url, { ...init, signal: AbortSignal.any([io.signal, AbortSignal.timeout(ANSWER_MS)]) })
  try {
    const token = (await readFile(home.token, 'utf8')).trim()
    return createDaemonClient({ base: daemon.address, fetch: send, token })
  } catch (thrown) {
    throw new StewardError('storage_failed', { path: home.token, reason: reasonOf(thrown) }, thrown)
  }
}
