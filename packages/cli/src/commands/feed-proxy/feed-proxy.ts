import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createGuardedFetch } from '@steward/platform'
import { createFeedProxy, serveFeedProxy } from '@steward/runner'
import { Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printJson } from '../../output/print-json.ts'

interface ProxyFlags {
  port: number
  host: string
  token?: string
  allow?: string[]
  json?: true
}

const DEFAULT_PORT = 8790
const TOKEN_BYTES = 32

const HELP = `
Examples:
  steward feed-proxy                                   for this machine only
  steward feed-proxy --host 0.0.0.0 --port 9000        for workers; put TLS in front of it

This is the third tier of the poller: a flow with the source {"type": "feeds", "proxy_url": "https://…"}
requests feeds through it that block other programs. The token is --token, else FEED_PROXY_TOKEN of the
environment or .env, else a new one, which is printed. The proxy fetches public addresses only.
`

export const createFeedProxyCommand = (io: Io): Command =>
  new Command('feed-proxy')
    .description('Fetch feeds for pollers on other machines')
    .option('--port <port>', 'port to listen on; 0 for any free port', parsePort, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <token>', 'token that pollers must send')
    .option('--allow <host>', 'a private host that may be fetched', collect)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (flags: ProxyFlags) => {
      const known =
        flags.token ??
        (await withLocalRuntime(io, async ({ environment }) => environment.FEED_PROXY_TOKEN))
      const token = known || randomBytes(TOKEN_BYTES).toString('hex')
      const fetch = createGuardedFetch({ allowPrivateHosts: flags.allow ?? [] })
      const handle = createFeedProxy({ token, fetch, now: () => new Date(io.now()) })
      const proxy = await serveFeedProxy(handle, flags)
      const made = known ? {} : { token }
      if (flags.json) printJson(io.out, { address: proxy.origin, ...made })
      else {
        io.out.write(`feed proxy at ${proxy.origin}\n`)
        if (!known) io.out.write(`  FEED_PROXY_TOKEN=${token}\n`)
      }
      if (!io.signal.aborted) await once(io.signal, 'abort')
      await proxy.close()
    })

const collect = (host: string, before: string[] = []): string[] => [...before, host]

const parsePort = (text: string): number => {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}
