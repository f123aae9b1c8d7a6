import type { SessionError } from '@steward/contract'
import type { ToolOutcome } from '../../hands/hands.ts'
import type { SessionBody } from '../../log/session-body.ts'

export type McpServer = SessionBody['agent']['mcp_servers'][number]

/** A tool as its server describes it. */
export interface McpTool {
  name: string
  description: string
  inputSchema: Readonly<Record<string, unknown>>
}

/** One MCP server that answers. */
export interface McpConnection {
  readonly tools: readonly McpTool[]
  /**
   * Calls a tool once. A server failure becomes the tool's error; rejects only with the signal's
   * reason. `lost`: whether the connection is unusable from now on.
   */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ outcome: ToolOutcome; lost: boolean }>
  close(): Promise<void>
}

/**
 * Connects to an MCP server with the credentials in the session's vaults. Rejects with
 * `McpFailure`.
 */
export type ConnectMcp = (
  server: McpServer,
  vaultIds: readonly string[],
  signal: AbortSignal,
) => Promise<McpConnection>

/** Why the connection failed, in a message without secrets. */
export class McpFailure extends Error {
  readonly kind: 'connection' | 'authentication'

  constructor(kind: McpFailure['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The error that clients see; the turn continues without the server's tools. */
export const toSessionError = (
  { name }: McpServer,
  { kind, message }: McpFailure,
): SessionError => ({
  type: `mcp_${kind}_failed_error`,
  message,
  mcp_server_name: name,
  retry_status: { type: 'retrying' },
})
