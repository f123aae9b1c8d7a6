import type { SessionRow, SessionStatus, SessionSummary } from '@steward/contract'
import { describeEvent } from './describe-event.ts'
import { findClient } from './find-client.ts'
import type { HostedClient } from './hosted-client.ts'
import type { HostedModulePorts } from './ports.ts'

type Overview = Awaited<ReturnType<HostedClient['overview']>>

/** Sessions of background agents in the form of the list of all sessions. */
export const listHostedSessions = async (ports: HostedModulePorts): Promise<SessionSummary[]> => {
  try {
    const client = await findClient(ports)
    const found = client === undefined ? undefined : await client.overview(false)
    return found?.sessions.map(summarise) ?? []
  } catch {
    // The page of background agents reports why the server does not answer.
    return []
  }
}

const STATUSES: Readonly<Record<SessionRow['status'], SessionStatus>> = {
  running: 'working',
  rescheduling: 'working',
  idle: 'idle',
  terminated: 'ended',
}

const summarise = (row: Overview['sessions'][number]): SessionSummary => {
  const { id, title, agent, model, waiting, status, cost, createdAt, last } = row
  const entry = last === null ? undefined : describeEvent(last)
  const lastActivityAt = last?.at ?? createdAt
  return {
    id,
    name: title ?? `A session of ${agent.name}`,
    prompt: title,
    host: 'hosted',
    machine: null,
    project: null,
    status: waiting.length > 0 ? 'waiting' : STATUSES[status],
    startedAt: createdAt,
    lastActivityAt,
    endedAt: status === 'terminated' ? lastActivityAt : null,
    startSource: null,
    model,
    prompts: 0,
    toolCalls: 0,
    failures: 0,
    subagents: 0,
    lastMessage: entry?.kind === 'message' ? entry.text : null,
    costUsd: cost.totalUsd,
  }
}
