import { once } from 'node:events'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import { createDial, createResolve } from './dial.ts'
import { createNameServer } from './dns/name-server.ts'
import { createStandInAddresses, NAME_SERVER } from './dns/stand-in-addresses.ts'
import {
  EGRESS_LIMITS,
  EGRESS_MOUNT,
  EGRESS_PORT,
  type Egress,
  type EgressDecision,
  type EgressOptions,
} from './egress.ts'
import { makeEgressFolder } from './egress-folder.ts'
import {
  FORWARDER_FILE,
  FORWARDER_SOURCE,
  NAMES_FILE,
  RESOLVER_FILE,
  SOCKET_FILE,
} from './forwarder.ts'
import { createHostRules } from './host-rules.ts'
import { allowsPackages } from './package-registries.ts'
import { createMeter } from './proxy-context.ts'
import { createSecrets } from './secrets.ts'
import { createSessionAuthority } from './session-authority.ts'
import { SMALL_FORWARDER_FILE, SMALL_FORWARDER_SOURCE } from './small-forwarder.ts'
import { createProxy } from './start-proxy.ts'
import { countBundled, listTrusted } from './trusted.ts'

const TRUST_FILE = 'trusted.pem'

/** Starts a session's proxy. Closing it ends its connections and removes its folder. */
export const openEgress = async (options: EgressOptions): Promise<Egress> => {
  const { sessionId, networking, credentials = [] } = options
  const secrets = createSecrets(sessionId, credentials)
  const authority = secrets.length === 0 ? undefined : createSessionAuthority()
  const limits = { ...EGRESS_LIMITS, ...options.limits }
  const registries = allowsPackages(networking) ? (options.registries ?? []) : []
  const trusted = [...listTrusted(), ...(options.upstreamCa ?? [])]
  const isAdded = authority !== undefined || trusted.length > countBundled()
  let context: SecureContext | undefined
  const rules = createHostRules(networking, registries)
  const addresses = createStandInAddresses()
  const note = (decision: Omit<EgressDecision, 'sessionId'>) =>
    options.onDecision?.({ sessionId, ...decision })
  const resolve = options.resolve ?? createResolve({ trusted: registries })
  const names = createNameServer({ rules, resolve, addresses, note })
  const server = createProxy({
    rules,
    addresses,
    secrets,
    authority,
    trust: () => {
      context ??= createSecureContext({ ca: trusted })
      return context
    },
    dial: options.dial ?? createDial({ trusted: registries }),
    limits,
    meter: createMeter(limits.bytes),
    note,
  })
  // The sandbox may run as another user, which needs access to the inner folder; the outer folder
  // keeps other users of this machine out.
  const closed = await makeEgressFolder(options.parent)
  const folder = join(closed, 'in')
  await mkdir(folder, { mode: 0o755 })
  await writeFile(join(folder, FORWARDER_FILE), FORWARDER_SOURCE)
  await writeFile(join(folder, SMALL_FORWARDER_FILE), SMALL_FORWARDER_SOURCE)
  if (isAdded) {
    const all = authority === undefined ? trusted : [...trusted, authority.certificate]
    await writeFile(join(folder, TRUST_FILE), `${all.join('\n')}\n`)
  }
  await writeFile(join(folder, RESOLVER_FILE), `nameserver ${NAME_SERVER}\n`)
  const endProxy = await listenAt(join(folder, SOCKET_FILE), server)
  const endNames = await listenAt(join(folder, NAMES_FILE), names)
  return {
    folder,
    env: {
      ...proxyEnv(),
      ...(isAdded
        ? trustEnv(`${options.seenAt === undefined ? EGRESS_MOUNT : folder}/${TRUST_FILE}`)
        : {}),
      ...Object.fromEntries(
        secrets.map(({ credential, placeholder }) => [credential.name, placeholder]),
      ),
    },
    close: async () => {
      await Promise.all([endProxy(), endNames()])
      await rm(closed, { recursive: true, force: true })
    },
  }
}

/** Listens for all users who reach the file; returns what ends it and its connections. */
const listenAt = async (path: string, server: Server): Promise<() => Promise<void>> => {
  // A server forgets connections that became tunnels, so closing must end them separately.
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o666)
  return async () => {
    const ended = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await ended
  }
}

const proxyEnv = (): Record<string, string> => {
  const proxy = `http://127.0.0.1:${EGRESS_PORT}`
  const none = 'localhost,127.0.0.1,::1'
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: none,
    no_proxy: none,
    // Node's own fetch reads the proxy variables only if this is set.
    NODE_USE_ENV_PROXY: '1',
  }
}

/** The variables in which programs look for trusted certificates; each family has its own. */
const trustEnv = (file: string): Record<string, string> =>
  Object.fromEntries(
    [
      'SSL_CERT_FILE',
      'CURL_CA_BUNDLE',
      'REQUESTS_CA_BUNDLE',
      'PIP_CERT',
      'NODE_EXTRA_CA_CERTS',
      'NPM_CONFIG_CAFILE',
      'GIT_SSL_CAINFO',
      'CARGO_HTTP_CAINFO',
      'AWS_CA_BUNDLE',
      'DENO_CERT',
    ].map((name) => [name, file]),
  )
