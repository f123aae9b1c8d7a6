import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { HOSTED_SERVER_FILE, StewardError } from '@steward/contract'
import { createHostedClient, type HostedClient } from './hosted-client.ts'
import type { HostedModulePorts } from './ports.ts'

/** The server registered in this data home: in this daemon or another process. */
export const findClient = async (ports: HostedModulePorts): Promise<HostedClient | undefined> => {
  const { home, load } = ports
  const isThere = await access(join(home.root, HOSTED_SERVER_FILE)).then(
    () => true,
    () => false,
  )
  // Checked first, because loading the package is expensive.
  if (!isThere) return undefined
  const own = await (await load()).findOwnServer(home.root)
  return own === undefined ? undefined : createHostedClient(own, ports)
}

/** Like `findClient`, but throws if there is no server. */
export const getClient = async (ports: HostedModulePorts): Promise<HostedClient> => {
  const client = await findClient(ports)
  if (client !== undefined) return client
  const reason = 'no server of hosted agents runs on this data home'
  throw new StewardError('module_failed', { module: 'hosted', reason })
}
