import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createGuardedFetch } from '@steward/platform'
import type { HandsSession, ToolCall } from '../../hands.ts'

/** A web server on loopback, and a guarded fetch that may reach only this private address. */
export const serve = async (answer: RequestListener) => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was opened')
  const host = `127.0.0.1:${address.port}`
  return {
    url: `http://${host}`,
    fetch: createGuardedFetch({ allowPrivateHosts: [host] }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const session: HandsSession = {
  id: 'sess_1',
  networking: { type: 'unrestricted' },
  packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  mounts: [],
  credentials: [],
}

export const callOf = (
  name: string,
  input: ToolCall['input'],
  config: ToolCall['config'] = {},
): ToolCall => ({ id: 'sevt_1', name, input, config })
