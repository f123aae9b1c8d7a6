import { toStewardError } from '@steward/contract'
import type { ToolOutcome } from '../../hands/hands.ts'
import type { SessionBody } from '../../log/session-body.ts'
import type { BrainPorts } from '../brain.ts'
import type { RunInFlight } from '../in-flight.ts'
import type { ToolUse } from '../log-view.ts'
import type { AskStep, RunStep } from '../step.ts'
import { errorEvent, RUNNING } from '../step-events.ts'
import type { WorkedSession } from '../worked-session.ts'
import {
  type McpConnection,
  McpFailure,
  type McpServer,
  type McpTool,
  toSessionError,
} from './mcp.ts'

/** The MCP connections of a session while a brain works on it. */
export interface SessionMcp {
  /**
   * Connects to the servers that the step may need. `true`: the log has changed since the step was
   * decided, so it must be decided again.
   */
  prepare(step: AskStep | RunStep): Promise<boolean>
  /** The tools of a server; none when it is not connected. */
  toolsOf(serverName: string): readonly McpTool[]
  call(use: ToolUse, signal: AbortSignal): Promise<ToolOutcome>
  close(): Promise<void>
}

export interface SessionMcpPorts extends Pick<BrainPorts, 'connectMcp' | 'now' | 'report'> {
  inFlight: RunInFlight
}

/**
 * How long to wait before reconnecting to an unreachable server, because each attempt delays the
 * turn.
 */
const AGAIN_MS = 300_000

type Tried =
  | { connection: McpConnection }
  | { connection: undefined; failure: McpFailure; atMs: number }

export const openSessionMcp = (session: WorkedSession, ports: SessionMcpPorts): SessionMcp => {
  const { connectMcp, now, report, inFlight } = ports
  const tried = new Map<string, Tried>()
  const bodyNow = (): SessionBody => session.row().body
  const find = (serverName: string): McpServer | undefined =>
    bodyNow().agent.mcp_servers.find(({ name }) => name === serverName)
  const findConnection = (serverName: string): McpConnection | undefined => {
    const server = find(serverName)
    return server && tried.get(keyOf(server))?.connection
  }
  const isDue = (server: McpServer): boolean => {
    const known = tried.get(keyOf(server))
    if (known === undefined) return true
    return known.connection === undefined && known.atMs + AGAIN_MS <= now()
  }

  const connect = async (server: McpServer, signal: AbortSignal): Promise<void> => {
    try {
      const connection = await connectMcp(server, bodyNow().vault_ids, signal)
      tried.set(keyOf(server), { connection })
    } catch (thrown) {
      signal.throwIfAborted()
      const failure = thrown instanceof McpFailure ? thrown : ownFailure(server)
      if (failure !== thrown) report(toStewardError(thrown), session.id)
      tried.set(keyOf(server), { connection: undefined, failure, atMs: now() })
    }
  }

  return {
    prepare: async (step) => {
      const needs = step.type === 'ask' ? step.purpose === 'turn' : step.use.kind === 'mcp'
      const due = needs ? bodyNow().agent.mcp_servers.filter(isDue) : []
      if (due.length === 0) return false
      if (step.starts) {
        // Connecting may take a while, and an interrupt needs a running turn to end.
        await session.append([RUNNING], step.processed)
        return true
      }
      const done = await inFlight(async (signal) => {
        await Promise.allSettled(due.map((server) => connect(server, signal)))
        signal.throwIfAborted()
      })
      if (done.type === 'interrupted') {
        await session.look()
        return true
      }
      const errors = due.flatMap((server) => {
        const known = tried.get(keyOf(server))
        if (known === undefined || known.connection !== undefined) return []
        if (session.view.missingServers.has(server.name)) return []
        return [errorEvent(toSessionError(server, known.failure))]
      })
      if (errors.length > 0) await session.append(errors)
      return errors.length > 0
    },
    toolsOf: (serverName) => findConnection(serverName)?.tools ?? [],
    call: async ({ server: serverName, name, input }, signal) => {
      const server = find(serverName ?? '')
      const connection = findConnection(serverName ?? '')
      if (server === undefined || connection === undefined)
        return failed(`The MCP server ${serverName} is not connected; the call was not made.`)
      const { outcome, lost } = await connection.call(name, input, signal)
      if (lost) {
        tried.delete(keyOf(server))
        await connection.close()
      }
      return outcome
    },
    close: async () => {
      const open = [...tried.values()].flatMap(({ connection }) => connection ?? [])
      tried.clear()
      await Promise.all(open.map((connection) => connection.close()))
    },
  }
}

const keyOf = ({ name, url }: McpServer): string => JSON.stringify([name, url])

const ownFailure = ({ name }: McpServer): McpFailure =>
  new McpFailure('connection', `the MCP server ${name} could not be connected to`)

const failed = (text: string): ToolOutcome => ({ content: [{ type: 'text', text }], isError: true })
