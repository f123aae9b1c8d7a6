import type Anthropic from '@anthropic-ai/sdk'
import { streamEvent } from '@steward/contract'
import { differences } from './check-answers.ts'
import type { Line } from './scripted-messages.ts'
import type { World } from './start-world.ts'

export type Streamed = Anthropic.Beta.Sessions.BetaManagedAgentsStreamSessionEvents
export type Sent = Anthropic.Beta.Sessions.BetaManagedAgentsEventParams
type StreamParams = Anthropic.Beta.Sessions.EventStreamParams

export const say = (text: string): Sent => ({
  type: 'user.message',
  content: [{ type: 'text', text }],
})

/** Reads a stream up to the expected event and checks every event against the contract. */
export const readUntil = async (
  stream: AsyncIterable<Streamed>,
  isLast: (event: Streamed) => boolean,
): Promise<Streamed[]> => {
  const seen: Streamed[] = []
  for await (const event of stream) {
    const faults = differences('a streamed event', streamEvent, event)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    seen.push(event)
    if (isLast(event)) return seen
  }
  throw new Error(`the stream ended early, after ${seen.map(({ type }) => type).join(', ')}`)
}

/** The turn is over and waits for no one. */
export const isTurnEnd = (event: Streamed): boolean =>
  event.type === 'session.status_idle' && event.stop_reason.type !== 'requires_action'

export const isWaiting = (event: Streamed): boolean =>
  event.type === 'session.status_idle' && event.stop_reason.type === 'requires_action'

/** Opens the stream before sending, as every consumer must, and returns what arrived. */
export const sendAndRead = async (
  client: Anthropic,
  sessionId: string,
  events: Sent[],
  isLast: (event: Streamed) => boolean,
  params: StreamParams = {},
): Promise<Streamed[]> => {
  const stream = await client.beta.sessions.events.stream(sessionId, params)
  await client.beta.sessions.events.send(sessionId, { events })
  return readUntil(stream, isLast)
}

let made = 0
/** A unique name. */
export const freshName = (what: string): string => {
  made += 1
  return `${what} ${made}`
}

type AgentParams = Partial<Anthropic.Beta.AgentCreateParams>
type SessionParams = Partial<Anthropic.Beta.SessionCreateParams>

/** A session whose model follows a script. */
export const makeScripted = async (
  { model }: Pick<World, 'model'>,
  client: Anthropic,
  lines: readonly Line[],
  {
    config,
    session: sessionParams,
    ...agentParams
  }: AgentParams & {
    config?: Anthropic.Beta.EnvironmentCreateParams['config']
    session?: SessionParams
  } = {},
) => {
  const system = model.script(...lines)
  const agent = await client.beta.agents.create({
    name: freshName('Agent'),
    model: 'claude-opus-4-6',
    system,
    ...agentParams,
  })
  const environment = await client.beta.environments.create({
    name: freshName('place'),
    ...(config === undefined ? {} : { config }),
  })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    ...sessionParams,
  })
  return { agent, environment, session, asked: () => model.askedBy(system) }
}

/** The text of the agent's messages, in order. */
export const textsOf = (events: readonly Streamed[]): string[] =>
  events.flatMap((event) =>
    event.type === 'agent.message'
      ? event.content.flatMap((block) => ('text' in block ? [block.text] : []))
      : [],
  )
