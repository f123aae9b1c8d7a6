import type Anthropic from '@anthropic-ai/sdk'
import { expect } from 'vitest'
import type { SessionEvent } from './follow-plan.ts'
import type { Plan } from './plan.ts'

export const bash = (command: string) => ({ tool: 'bash', input: { command } })
export const messageOf = (plan: Plan) => ({
  type: 'user.message' as const,
  content: [{ type: 'text' as const, text: JSON.stringify(plan) }],
})
export const resultsOf = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'agent.tool_result'
      ? (event.content ?? []).flatMap((each) => (each.type === 'text' ? [each.text.trim()] : []))
      : [],
  )
export const errorsOf = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'session.error' ? [event.error.message ?? ''] : []))

export const createSession = async (client: Anthropic, plan: Plan): Promise<string> => {
  const agent = await client.beta.agents.create({
    name: 'worker',
    model: 'claude-sonnet-4-5',
    tools: [{ type: 'agent_toolset_20260401' }],
  })
  const environment = await client.beta.environments.create({ name: 'anywhere' })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    initial_events: [messageOf(plan)],
  })
  return session.id
}

const listEvents = async (client: Anthropic, sessionId: string): Promise<SessionEvent[]> => {
  const events: SessionEvent[] = []
  for await (const event of client.beta.sessions.events.list(sessionId, { limit: 1000 })) {
    events.push(event)
  }
  return events
}

/** All events, once the turn of the last message has ended. */
export const waitForEnd = async (client: Anthropic, sessionId: string): Promise<SessionEvent[]> => {
  let events: SessionEvent[] = []
  const isOver = async (): Promise<boolean> => {
    events = await listEvents(client, sessionId)
    const message = events.findLastIndex(({ type }) => type === 'user.message')
    return events.findLastIndex(({ type }) => type === 'session.status_idle') > message
  }
  await expect.poll(isOver, { timeout: 60_000 }).toBe(true)
  return events
}

export const takeTurn = async (client: Anthropic, sessionId: string, plan: Plan) => {
  await client.beta.sessions.events.send(sessionId, { events: [messageOf(plan)] })
  return waitForEnd(client, sessionId)
}

export const contentOf = async (
  client: Anthropic,
  sessionId: string,
): Promise<Record<string, string>> => {
  const found: Record<string, string> = {}
  for await (const file of client.beta.files.list({ scope_id: sessionId })) {
    found[file.filename] = await (await client.beta.files.download(file.id)).text()
  }
  return found
}
