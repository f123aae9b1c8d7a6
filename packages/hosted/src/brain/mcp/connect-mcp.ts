import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { reasonOf, StewardError } from '@steward/contract'
import type { Timer } from '../brain.ts'
import { createConnection } from './connection.ts'
import { LIBRARY_TIMEOUT_MS } from './library-timeout.ts'
import { limitTime } from './limit-time.ts'
import { listServerTools } from './list-server-tools.ts'
import { type ConnectMcp, McpFailure, type McpServer } from './mcp.ts'
import { createServerFetch, type ServerFetch, type ServerFetchPorts } from './server-fetch.ts'

export interface ConnectMcpPorts extends ServerFetchPorts {
  timer: Timer
  limits?: Partial<McpLimits>
}

interface McpLimits {
  /** The timeout for connecting and listing the tools. */
  connectMs: number
  callMs: number
}

const LIMITS: McpLimits = { connectMs: 15_000, callMs: 120_000 }

/**
 * Connects by streamable HTTP and falls back to the older SSE for servers that do not support it.
 */
export const createConnectMcp = (ports: ConnectMcpPorts): ConnectMcp => {
  const limits = { ...LIMITS, ...ports.limits }
  return async (server, vaultIds, signal) => {
    const asked = await createServerFetch(server, vaultIds, ports)
    try {
      return await limitTime(
        { ms: limits.connectMs, timer: ports.timer, signal, subject: `MCP server ${server.name}` },
        (limited) => connect(server, asked, { ...ports, callMs: limits.callMs }, limited),
      )
    } catch (thrown) {
      signal.throwIfAborted()
      throw toFailure(thrown, server, asked)
    }
  }
}

const connect = async (
  server: McpServer,
  asked: ServerFetch,
  { timer, callMs }: { timer: Timer; callMs: number },
  signal: AbortSignal,
) => {
  const { client, end } = await shakeHands(new URL(server.url), asked, signal)
  try {
    const tools = asked.hideSecrets(await listServerTools(client, signal))
    return createConnection(client, { server, tools, asked, timer, callMs, end })
  } catch (thrown) {
    await client.close()
    throw thrown
  }
}

interface Shaken {
  client: Client
  /** Tells the server that the session is over. */
  end: () => Promise<void>
}

const shakeHands = async (url: URL, asked: ServerFetch, signal: AbortSignal): Promise<Shaken> => {
  const transport = new StreamableHTTPClientTransport(url, { fetch: asked.withoutListening })
  try {
    return { client: await meet(transport, signal), end: () => transport.terminateSession() }
  } catch (thrown) {
    signal.throwIfAborted()
    if (!isOlderServer(asked.status())) throw thrown
    const client = await meet(new SSEClientTransport(url, { fetch: asked.fetch }), signal)
    return { client, end: async () => undefined }
  }
}

const meet = async (
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  signal: AbortSignal,
): Promise<Client> => {
  const client = new Client({ name: 'steward', version: '5' }, { capabilities: {} })
  const stop = (): void => void transport.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await client.connect(transport, { signal, timeout: LIBRARY_TIMEOUT_MS })
    return client
  } catch (thrown) {
    await transport.close()
    throw thrown
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The status with which a server older than streamable HTTP answers the first message. */
const isOlderServer = (status: number | undefined): boolean =>
  status === 400 || status === 404 || status === 405

const toFailure = (thrown: unknown, { name, url }: McpServer, asked: ServerFetch): McpFailure => {
  const { host } = new URL(url)
  const status = asked.status()
  if (status === 401 || status === 403) {
    const given = asked.hasCredential
      ? 'it rejected the credential of the vault'
      : 'no vault of the session has a credential for it'
    const message = `the MCP server ${name} at ${host} answered ${status}: ${given}`
    return new McpFailure('authentication', message, { cause: thrown })
  }
  if (thrown instanceof StewardError && thrown.code === 'address_refused') {
    const hint = 'private hosts must be listed in hosted.mcpPrivateHosts of the server’s settings'
    return new McpFailure('connection', `${thrown.message}; ${hint}`, { cause: thrown })
  }
  const reason =
    status !== undefined && status >= 300
      ? `it answered ${status}`
      : asked.hideSecrets(reasonOf(thrown)).slice(0, REASON_CHARS)
  const message = `the MCP server ${name} at ${host} cannot be used: ${reason}`
  return new McpFailure('connection', message, { cause: thrown })
}

const REASON_CHARS = 300
