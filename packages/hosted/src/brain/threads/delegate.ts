import { HOSTED_LIMITS, type ThreadAgent } from '@steward/contract'
import { z } from 'zod'
import type { NewEvent } from '../../database/stored-event.ts'
import { execute, type Tx } from '../../database/tx.ts'
import { createId } from '../../ids/create-id.ts'
import { appendEvents } from '../../log/append-events.ts'
import type { SessionBody } from '../../log/session-body.ts'
import type { StoredSession } from '../../log/stored-session.ts'
import { EMPTY_SUMMARY } from '../../log/summary.ts'
import type { ThreadState } from '../log-view.ts'
import type { DelegateStep } from '../step.ts'
import { RUNNING, toolErrorEvent, toolResultEvent } from '../step-events.ts'
import type { WorkedSession } from '../worked-session.ts'

/**
 * Runs a tool of the coordinator. Its effect and its result are written together, so a crash can
 * neither lose nor repeat a delegation.
 */
export const delegate = async (
  { use, starts, processed }: DelegateStep,
  session: WorkedSession,
  now: () => number,
): Promise<void> => {
  await session.look()
  const before = starts ? [RUNNING] : []
  const say = (text: string): NewEvent =>
    toolResultEvent(use, { content: [{ type: 'text', text }], isError: false }, use.name)
  if (use.name === 'list_agents')
    return session.append([...before, say(describeTeam(session))], processed)
  const plan = planMessage(use.input, session)
  if ('refusal' in plan)
    return session.append([...before, toolErrorEvent(use, plan.refusal)], processed)
  const { threadId, agent, isNew, content } = plan
  const named = { session_thread_id: threadId, agent_name: agent.name }
  const created: NewEvent = {
    type: 'session.thread_created',
    body: { ...named, workflow_run_id: null },
  }
  const sent: NewEvent = {
    type: 'agent.thread_message_sent',
    body: { to_session_thread_id: threadId, to_agent_name: agent.name, content },
  }
  const events = [...before, ...(isNew ? [created] : []), sent, say(`Sent to thread ${threadId}.`)]
  await session.append(events, processed, function* (row) {
    const nowMs = now()
    if (isNew) yield* insertThread(row, threadId, agent, nowMs)
    const received: NewEvent = {
      type: 'agent.thread_message_received',
      body: { from_session_thread_id: row.body.thread_id, content },
    }
    yield* appendEvents(threadId, [received], { nowMs, wakes: true })
  })
}

const messageInput = z.object({
  agent: z.string().optional(),
  thread_id: z.string().optional(),
  message: z.string().min(1),
})

interface Message {
  threadId: string
  agent: Pick<ThreadAgent, 'id' | 'name'>
  isNew: boolean
  content: readonly { type: 'text'; text: string }[]
}

const planMessage = (
  input: unknown,
  { view, row }: WorkedSession,
): Message | { refusal: string } => {
  const { data } = messageInput.safeParse(input)
  if (data === undefined) return { refusal: 'The message is missing.' }
  const content = [{ type: 'text' as const, text: data.message }]
  if (data.thread_id !== undefined) {
    const thread = view.threads.get(data.thread_id)
    if (thread === undefined) return { refusal: `You began no thread ${data.thread_id}.` }
    if (thread.state === 'ended') return { refusal: `The thread ${data.thread_id} has ended.` }
    const agent = { id: '', name: thread.agentName }
    return { threadId: data.thread_id, agent, isNew: false, content }
  }
  const roster = row().body.agent.multiagent?.agents ?? []
  const agent = roster.find(({ name }) => name === data.agent)
  if (agent === undefined) {
    const names = roster.map(({ name }) => name).join(', ')
    return { refusal: `There is no agent ${data.agent ?? ''}. Your agents: ${names}.` }
  }
  const open = [...view.threads.values()].filter(({ state }) => state !== 'ended').length
  // The primary thread counts as one.
  if (open + 1 >= HOSTED_LIMITS.threads)
    return {
      refusal: `A session has at most ${HOSTED_LIMITS.threads} threads. Continue one of yours with thread_id.`,
    }
  return { threadId: createId('sthr'), agent, isNew: true, content }
}

function* insertThread(
  session: StoredSession,
  threadId: string,
  { id }: Pick<ThreadAgent, 'id'>,
  nowMs: number,
): Tx<void> {
  const { body } = session
  const agent = body.agent.multiagent?.agents.find((each) => each.id === id)
  if (agent === undefined) throw new Error(`agent ${id} is not in the roster`)
  const thread: SessionBody = {
    ...body,
    agent: { ...agent, multiagent: null },
    thread_id: threadId,
    budget: null,
    outcome_evaluations: [],
    skills: body.roster_skills[id] ?? [],
    roster_skills: {},
    session_id: session.id,
  }
  yield* execute(
    `INSERT INTO sessions
       (id, parent_id, agent_id, agent_version, environment_id, body, summary, status, created_ms, updated_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    threadId,
    session.id,
    agent.id,
    agent.version,
    session.environmentId,
    JSON.stringify(thread),
    JSON.stringify(EMPTY_SUMMARY),
    EMPTY_SUMMARY.status,
    nowMs,
  )
}

const STATE_WORDS: Readonly<Record<ThreadState['state'], string>> = {
  busy: 'works',
  idle: 'has answered',
  asks: 'waits for the person',
  paused: 'is stopped by the budget',
  ended: 'has ended',
}

const describeTeam = ({ view, row }: WorkedSession): string => {
  const agents = row().body.agent.multiagent?.agents ?? []
  const threads = [...view.threads].map(
    ([id, { agentName, state }]) => `- ${id}: ${agentName}, ${STATE_WORDS[state]}`,
  )
  return [
    'Agents:',
    ...agents.map(({ name, description }) => `- ${name}: ${description ?? 'no description'}`),
    ...(threads.length === 0 ? [] : ['Threads:', ...threads]),
  ].join('\n')
}
