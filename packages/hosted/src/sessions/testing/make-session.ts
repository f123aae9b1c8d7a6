import type Anthropic from '@anthropic-ai/sdk'
import type { NewEvent, StoredEvent } from '../../database/stored-event.ts'
import { appendEvents } from '../../log/append-events.ts'
import type { TestApi } from '../../serve/testing/start-test-api.ts'

type Params = Partial<Anthropic.Beta.SessionCreateParams>

let made = 0

/** A session with its own agent and environment. */
export const makeSession = async (
  { client }: TestApi,
  params: Params = {},
  config: Anthropic.Beta.EnvironmentCreateParams['config'] = { type: 'cloud' },
): Promise<Anthropic.Beta.BetaManagedAgentsSession> => {
  made += 1
  const agent = await client.beta.agents.create({
    name: `Agent ${made}`,
    model: 'claude-opus-4-6',
    tools: [{ type: 'agent_toolset_20260401' }],
  })
  const environment = await client.beta.environments.create({ name: `place ${made}`, config })
  return client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    ...params,
  })
}

/** Writes events as the brain would. */
export const writeAs = (
  { database, clock }: TestApi,
  sessionId: string,
  ...events: NewEvent[]
): Promise<readonly StoredEvent[]> =>
  database.write(() => appendEvents(sessionId, events, { nowMs: clock.nowMs }))

export const say = (text: string): Anthropic.Beta.Sessions.BetaManagedAgentsEventParams => ({
  type: 'user.message',
  content: [{ type: 'text', text }],
})
