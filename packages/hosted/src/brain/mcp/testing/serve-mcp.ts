import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

/** A real MCP server on loopback that records what it saw. */
export interface ServedMcp {
  url: string
  host: string
  /** Texts that the tools `note` and `grep` were called with. */
  notes: string[]
  /** `Authorization` of every request, in order. */
  tokens: (string | undefined)[]
  /** Sessions that clients have ended. */
  ended: number
  /** When set, requests without this bearer token are refused. */
  wantsToken: string | undefined
  /** Resolves when `hang` is called, which never answers. */
  hung: Promise<void>
  close(): Promise<void>
}

export const serveMcp = async (): Promise<ServedMcp> => {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const hung = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const served: ServedMcp = {
    url: '',
    host: '',
    notes: [],
    tokens: [],
    ended: 0,
    wantsToken: undefined,
    hung: hung.promise,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await Promise.all([...transports.values()].map((transport) => transport.close()))
    },
  }
  const openSession = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => `mcp-${transports.size + 1}`,
      onsessioninitialized: (id) => {
        transports.set(id, transport)
      },
      onsessionclosed: () => {
        served.ended += 1
      },
    })
    await describeTools(served, hung.resolve).connect(transport)
    return transport
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    served.tokens.push(request.headers.authorization)
    const { wantsToken } = served
    if (wantsToken !== undefined && request.headers.authorization !== `Bearer ${wantsToken}`) {
      response.writeHead(401).end(`not ${request.headers.authorization}`)
      return
    }
    const known = transports.get(String(request.headers['mcp-session-id']))
    await (known ?? (await openSession())).handleRequest(request, response)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  served.host = `127.0.0.1:${address.port}`
  served.url = `http://${served.host}/mcp`
  return served
}

const describeTools = (served: ServedMcp, onHang: () => void): McpServer => {
  const mcp = new McpServer({ name: 'notes', version: '1' })
  const input = { text: z.string() }
  // `grep` has the name of a read-only tool, but this one is not read-only.
  for (const name of ['note', 'grep'])
    mcp.registerTool(name, { description: 'Keeps a note.', inputSchema: input }, ({ text }) => {
      served.notes.push(text)
      return { content: [{ type: 'text', text: `kept ${text}` }] }
    })
  mcp.registerTool('read', { description: 'Fails.' }, () => {
    throw new Error('there is nothing to read')
  })
  mcp.registerTool('whisper', { description: 'Repeats who asks.' }, ({ requestInfo }) => ({
    content: [{ type: 'text', text: `you are ${String(requestInfo?.headers.authorization)}` }],
  }))
  mcp.registerTool('hang', { description: 'Never answers.' }, () => {
    onHang()
    return new Promise(() => undefined)
  })
  return mcp
}
