import { openStore } from '@steward/hosted'
import { createAgent } from '../../../packages/hosted/src/agents/change-agents.ts'
import type { NewEvent } from '../../../packages/hosted/src/database/stored-event.ts'
import { createEnvironment } from '../../../packages/hosted/src/environments/change-environments.ts'
import { appendEvents } from '../../../packages/hosted/src/log/append-events.ts'
import { createSession } from '../../../packages/hosted/src/sessions/create-session.ts'
import { createSeal } from '../../../packages/hosted/src/vaults/seal.ts'

type PastEvent = readonly [minutesAgo: number, event: NewEvent]

const text = (words: string) => [{ type: 'text', text: words }]
const idle = (stop_reason: object): NewEvent => ({
  type: 'session.status_idle',
  body: { stop_reason, stop_details: null },
})
let count = 0
const nextId = (): string => `sevt_day${++count}`

interface Reply {
  /** The ids of messages that the model sees for the first time. */
  taken?: string[]
  tokens: readonly [input: number, output: number]
  nanoDollars: number
  says?: string
  /** The tool call that it requests; with its output, or still waiting for permission. */
  runs?: { id: string; command: string; output?: string; fails?: true }
}

const asks = (minutesAgo: number, id: string, words: string): PastEvent[] => [
  [minutesAgo, { type: 'user.message', id, body: { content: text(words) } }],
  [minutesAgo, { type: 'session.status_running' }],
]

/** One model call as the brain logs it, with its text and tool calls between start and end. */
const replies = (minutesAgo: number, reply: Reply): PastEvent[] => {
  const { says, runs, nanoDollars, taken = [] } = reply
  const [input, output] = reply.tokens
  const [startId, messageId, thinkingId] = [nextId(), nextId(), nextId()]
  const asked = { purpose: 'turn', messageId, thinkingId, taken }
  const bill = { inputTokens: input, outputTokens: output, cacheReadTokens: 3200, nanoDollars }
  const usage = { input_tokens: input, output_tokens: output, cache_read_input_tokens: 3200 }
  const answered = {
    content: [
      ...(says === undefined ? [] : text(says)),
      ...(runs === undefined
        ? []
        : [{ type: 'tool_use', id: runs.id, name: 'bash', input: { command: runs.command } }]),
    ],
    stop: runs === undefined ? 'end_turn' : 'tool_use',
    refusal: null,
    windowTokens: input + output,
    bill: { ...bill, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 },
  }
  const atEnd = minutesAgo - 0.2
  const permission = runs?.output === undefined ? 'ask' : 'allow'
  const events: PastEvent[] = [
    [minutesAgo, { type: 'span.model_request_start', id: startId, hidden: asked }],
  ]
  if (says !== undefined)
    events.push([atEnd, { type: 'agent.message', id: messageId, body: { content: text(says) } }])
  if (runs !== undefined) {
    const body = {
      name: 'bash',
      input: { command: runs.command },
      evaluated_permission: permission,
      evaluation: { type: `always_${permission}` },
    }
    events.push([atEnd, { type: 'agent.tool_use', id: runs.id, body, hidden: { callId: runs.id } }])
  }
  const model_usage = { ...usage, cache_creation_input_tokens: 0 }
  const end = { model_request_start_id: startId, is_error: false, model_usage }
  events.push([atEnd, { type: 'span.model_request_end', body: end, hidden: answered }])
  if (runs?.output !== undefined) {
    const body = {
      tool_use_id: runs.id,
      content: text(runs.output),
      is_error: runs.fails === true,
    }
    events.push([atEnd - 0.1, { type: 'agent.tool_result', body, hidden: { tool: 'bash' } }])
  }
  return events
}

const WAITING_CALL = 'sevt_dayasks'
const ERROR = {
  type: 'model_overloaded_error',
  message: 'the model is overloaded; trying again in 4 s',
  retry_status: { type: 'retrying' },
}

/** An agent's overnight work, which now waits for permission to push. */
const BACKFILL: readonly PastEvent[] = [
  ...asks(
    190,
    'sevt_fill',
    'Fill the gaps of the Norderney gauge since March, and push the branch.',
  ),
  ...replies(189.9, {
    taken: ['sevt_fill'],
    tokens: [4210, 180],
    nanoDollars: 14_600_000,
    says: 'I will look at what is there first.',
    runs: {
      id: 'sevt_dayls',
      command: 'ls data/norderney | head -4',
      output: '2026-03.csv\n2026-04.csv\n2026-05.csv\n2026-06.csv',
    },
  }),
  ...replies(189, {
    tokens: [5120, 420],
    nanoDollars: 22_000_000,
    runs: {
      id: 'sevt_dayfill',
      command: 'python3 fill.py --from 2026-03',
      output: 'Traceback: no module named pandas',
      fails: true,
    },
  }),
  [187.5, { type: 'session.error', body: { error: ERROR } }],
  ...replies(187, {
    tokens: [6900, 510],
    nanoDollars: 31_000_000,
    runs: {
      id: 'sevt_dayagain',
      command: 'pip install pandas && python3 fill.py --from 2026-03',
      output: '412 rows filled, 3 left out',
    },
  }),
  ...replies(120, {
    tokens: [8100, 640],
    nanoDollars: 41_000_000,
    says: '412 of 415 gaps are filled. The other three have no neighbour to fill from.',
    runs: { id: WAITING_CALL, command: 'git push origin fill-norderney' },
  }),
  [118.8, idle({ type: 'requires_action', event_ids: [WAITING_CALL] })],
]

const REVIEW: readonly PastEvent[] = [
  ...asks(64, 'sevt_review', 'Review the alert sender for lost messages.'),
  ...replies(63.9, {
    taken: ['sevt_review'],
    tokens: [9200, 1400],
    nanoDollars: 66_000_000,
    says: 'Two of seven catches drop the alert. Both are in `send-alert.ts`.',
  }),
  [61, idle({ type: 'end_turn' })],
]

const SPENT: readonly PastEvent[] = [
  ...asks(600, 'sevt_handbook', 'Translate the harbour handbook into Low German.'),
  ...replies(599, {
    taken: ['sevt_handbook'],
    tokens: [52_000, 21_000],
    nanoDollars: 490_000_000,
    says: 'Chapters one to four are done.',
  }),
  [570, idle({ type: 'budget_reached' })],
]

/** Writes sessions of hosted agents to a data home without a server; returns the waiting one. */
export const writeHostedDay = async (home: string, nowMs: number): Promise<string> => {
  const report = (error: Error): never => {
    throw error
  }
  const database = await openStore({ home, report })
  const ago = (minutes: number): number => nowMs - Math.round(minutes * 60_000)
  const sessionPorts = {
    seal: createSeal(new Uint8Array(32)),
    isPriced: () => true,
  }
  const play = async (
    title: string,
    agent: string,
    environment_id: string,
    events: readonly PastEvent[],
    dollars?: number,
  ): Promise<string> => {
    const begunMs = ago(events[0]?.[0] ?? 0)
    const amount = String((dollars ?? 0) * 100)
    const budget = { type: 'limit', max_list_cost: { amount, currency: 'USD' } } as const
    const wanted = { agent, environment_id, title, ...(dollars ? { budget } : {}) }
    const caller = { key: { scope: 'write' as const }, nowMs: begunMs }
    const { id } = await database.write(() => createSession(wanted, sessionPorts, caller))
    for (const [minutesAgo, event] of events)
      await database.write(() => appendEvents(id, [event], { nowMs: ago(minutesAgo) }))
    return id
  }
  const tools = [{ type: 'agent_toolset_20260401' as const }]
  const model = 'claude-sonnet-5-5'
  const create = (name: string) =>
    database.write(() => createAgent({ name, model, tools }, ago(900)))
  const keeper = await create('Tide keeper')
  const reviewer = await create('Reviewer')
  const place = await database.write(() => createEnvironment({ name: 'tidewatch' }, ago(900)))
  await play('The handbook in Low German', keeper.id, place.id, SPENT, 0.5)
  const waiting = await play('Fill the gaps of the gauge', keeper.id, place.id, BACKFILL, 2.5)
  await play('Who loses alerts?', reviewer.id, place.id, REVIEW)
  await database.close()
  return waiting
}
