import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { HOSTED_SERVER_FILE, StewardError } from '@steward/contract'
import { createHostedClient, type HostedClient } from './hosted-client.ts'
import type { HostedModulePorts } from './ports.ts'

/** The server that left word of itself in this data home: this daemon's, or one beside it. */
export const findClient = async (ports: HostedModulePorts): Promise<HostedClient | undefined> => {
  const { home, load } = ports
  const isThere = await access(join(home.root, HOSTED_SERVER_FILE)).then(
    () => true,
    () => false,
  )
  // Looked for first: without one the package is not worth loading.
  if (!isThere) return undefined
  const own = await (await load()).findOwnServer(home.root)
  return own === undefined ? undefined : createHostedClient(own, ports)
}

/** The same, for who cannot go on without. */
export const getClient = async (ports: HostedModulePorts): Promise<HostedClient> => {
  const client = await findClient(ports)
  if (client !== undefined) return client
  const reason = 'no server of hosted agents runs on this data home'
  throw new StewardError('module_failed', { module: 'hosted', reason })
}
