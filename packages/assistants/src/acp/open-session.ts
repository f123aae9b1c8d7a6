import type {
  ClientContext,
  InitializeResponse,
  LoadSessionResponse,
  methods,
  NewSessionResponse,
  ResumeSessionResponse,
} from '@agentclientprotocol/sdk'
import type { DriveSpec } from './drive-spec.ts'

interface SessionPorts {
  spec: DriveSpec
  folder: string
  /** Resume this session instead of starting one. */
  resume?: string
  budgetUsd?: number
}

/** Starts a session, or resumes one through the assistant's own resume or load. */
export const openSession = async (
  agent: ClientContext,
  { agentCapabilities }: InitializeResponse,
  { spec, folder, resume: sessionId, budgetUsd }: SessionPorts,
  names: typeof methods,
): Promise<NewSessionResponse> => {
  const meta = spec.meta?.(budgetUsd === undefined ? {} : { budgetUsd })
  const place = { cwd: folder, mcpServers: [], ...(meta === undefined ? {} : { _meta: meta }) }
  const { session } = names.agent
  if (sessionId === undefined) return agent.request<NewSessionResponse>(session.new, place)
  const known = { sessionId, ...place }
  if (agentCapabilities?.sessionCapabilities?.resume) {
    return { ...(await agent.request<ResumeSessionResponse>(session.resume, known)), sessionId }
  }
  if (agentCapabilities?.loadSession) {
    return { ...(await agent.request<LoadSessionResponse>(session.load, known)), sessionId }
  }
  throw new Error('it cannot resume sessions')
}
