import { readFile } from 'node:fs/promises'
import { createDaemonClient, reasonOf, StewardError } from '@steward/contract'
import { findDaemon, resolveHome } from '@steward/platform'
import type { Io } from '../../io.ts'
import { COMMAND } from '../../setup/command-name.ts'

/** An address that signs a browser in, from the daemon that runs on the data home. */
export const createSignInUrl = async (io: Io): Promise<{ url: string; expiresAt: string }> => {
  const home = resolveHome(io.env, io.homedir)
  const daemon = await findDaemon(home)
  if (daemon === undefined) {
    const reason = `none runs on ${home.root}; start one with \`${COMMAND} daemon\``
    throw new StewardError('not_configured', { subject: 'the daemon', reason })
  }
  const token = await readToken(home.token)
  const client = createDaemonClient({ base: daemon.address, fetch, token })
  const { code, expiresAt } = await client.call('createAuthCode', { body: {} })
  return { url: client.urlOf('signIn', { query: { code } }), expiresAt }
}

const readToken = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (thrown) {
    throw new StewardError('storage_failed', { path, reason: reasonOf(thrown) }, thrown)
  }
}
