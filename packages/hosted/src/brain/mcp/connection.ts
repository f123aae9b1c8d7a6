import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { CallToolResultSchema, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { reasonOf } from '@steward/contract'
import type { ToolOutcome } from '../../hands/hands.ts'
import type { Timer } from '../brain.ts'
import { LIBRARY_TIMEOUT_MS } from './library-timeout.ts'
import { limitTime } from './limit-time.ts'
import type { McpConnection, McpServer, McpTool } from './mcp.ts'
import type { ServerFetch } from './server-fetch.ts'
import { toOutcome } from './to-outcome.ts'

export interface ConnectionParts {
  server: McpServer
  tools: readonly McpTool[]
  asked: ServerFetch
  timer: Timer
  callMs: number
  end: () => Promise<void>
}

/** The timeout for telling a server that the session is over. */
const END_MS = 1000

export const createConnection = (
  client: Client,
  { server, tools, asked, timer, callMs, end }: ConnectionParts,
): McpConnection => ({
  tools,
  call: async (name, input, signal) => {
    const subject = `the tool ${name} of the MCP server ${server.name}`
    try {
      const result = await limitTime({ ms: callMs, timer, signal, subject }, (limited) =>
        client.request(
          { method: 'tools/call', params: { name, arguments: { ...input } } },
          CallToolResultSchema,
          { signal: limited, timeout: LIBRARY_TIMEOUT_MS },
        ),
      )
      return { outcome: toOutcome(asked.hideSecrets(result)), lost: false }
    } catch (thrown) {
      signal.throwIfAborted()
      const answered = thrown instanceof McpError && thrown.code !== ErrorCode.ConnectionClosed
      const words = `${subject} failed: ${asked.hideSecrets(reasonOf(thrown)).slice(0, REASON_CHARS)}`
      // A server that reports an error of its own is still connected; any other failure closes the
      // connection.
      return { outcome: failure(answered ? words : `${words} ${UNKNOWN}`), lost: !answered }
    }
  },
  close: async () => {
    try {
      const signal = new AbortController().signal
      await limitTime({ ms: END_MS, timer, signal, subject: server.name }, end)
    } catch {
      // The server forgets the session by itself in time.
    } finally {
      await client.close()
    }
  },
})

const REASON_CHARS = 2000
const UNKNOWN = 'It may have had effects: look before you repeat it.'

const failure = (text: string): ToolOutcome => ({
  content: [{ type: 'text', text }],
  isError: true,
})
