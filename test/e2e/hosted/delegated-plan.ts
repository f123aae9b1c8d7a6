import { expect } from 'vitest'
import { readLog } from './check-log.ts'
import type { SessionEvent } from './follow-plan.ts'
import type { Plan } from './plan.ts'

const bash = (command: string) => ({ tool: 'bash', input: { command } })

/** What the agent of a thread does: it reads a skill, and writes to the workspace and to a memory. */
export const workPlan = (name: string, memory: string): Plan => ({
  name: `${name}-work`,
  steps: [
    bash(`grep -c "^name: tally" skills/tally/SKILL.md && echo 1 >> /workspace/lines`),
    bash(`echo first > ${memory}/notes.md && echo 2 >> /workspace/lines`),
    bash(`echo second > ${memory}/notes.md && echo 3 >> /workspace/lines`),
    bash('cat /workspace/lines'),
  ],
})

/** What the coordinator does: it delegates, and waits. */
export const leadPlan = (name: string, work: Plan): Plan => ({
  name,
  steps: [{ tool: 'send_to_agent', input: { agent: 'worker', message: JSON.stringify(work) } }],
})

/** What the coordinator does in a later turn: it looks at the workspace again. */
export const lookPlan = (name: string): Plan => ({
  name: `${name}-look`,
  steps: [bash('cat /workspace/lines'), bash('cat /workspace/lines')],
})

const CALL = ['span.model_request_start', 'agent.tool_use bash', 'span.model_request_end']

/** The log of the thread, however often its process was killed. */
export const checkThread = (events: readonly SessionEvent[], work: Plan): void => {
  expect(readLog(events).words).toEqual([
    'agent.thread_message_received',
    'session.thread_status_running',
    ...work.steps.flatMap(() => [...CALL, 'agent.tool_result']),
    'span.model_request_start',
    `agent.message ${work.name} is done`,
    'span.model_request_end',
    'agent.thread_message_sent',
    'session.thread_status_idle',
  ])
}

/** Events of a session that occur exactly once, whatever happens. */
const ONCE = [
  'user.message',
  'session.status_running',
  'agent.tool_use send_to_agent',
  'agent.tool_result',
  'session.thread_created',
  'agent.thread_message_sent',
  'session.thread_status_running',
  'session.thread_status_idle',
  'agent.thread_message_received',
  'session.status_idle end_turn',
]

export const checkSession = (events: readonly SessionEvent[]): void => {
  const { words } = readLog(events)
  expect(words.at(-1)).toBe('session.status_idle end_turn')
  for (const word of ONCE)
    expect([word, words.filter((each) => each === word).length]).toEqual([word, 1])
}

/** What a tool call returned. */
export interface Outcome {
  isError: boolean
  text: string
}

export const outcomesOf = (events: readonly SessionEvent[]): Outcome[] =>
  events.flatMap((event) =>
    event.type === 'agent.tool_result'
      ? [
          {
            isError: event.is_error === true,
            text: (event.content ?? [])
              .map((each) => (each.type === 'text' ? each.text : ''))
              .join('\n'),
          },
        ]
      : [],
  )

const MOVED = /continues on another machine/

/**
 * Every line that a call reported as written is there once. A call during which the server died may
 * have written its line; on another machine the model is told what was lost.
 */
export const checkWorkspace = (outcomes: readonly Outcome[]): void => {
  const shown = outcomes.at(-1)
  if (shown === undefined || shown.isError || outcomes.some(({ text }) => MOVED.test(text))) return
  const lines = linesOf(shown)
  expect(lines).toEqual([...new Set(lines)].toSorted())
  for (const [step, { isError }] of outcomes.slice(0, -1).entries())
    if (!isError) expect(lines).toContain(String(step + 1))
}

const linesOf = ({ text }: Outcome): string[] =>
  text.split('\n').filter((line) => /^\d$/.test(line))

/**
 * A later turn finds the workspace as the turn before left it, also on another machine. Returns
 * whether the session moved there in between.
 */
export const checkLater = (before: readonly Outcome[], later: readonly Outcome[]): boolean => {
  const known = [...before.slice(-1), ...later].filter(({ isError }) => !isError)
  for (const outcome of known) expect(linesOf(outcome)).toEqual(linesOf(known[0] ?? outcome))
  return later.some(({ text }) => MOVED.test(text))
}

/** Each write is at most one version, in order, and one that was reported is there. */
export const checkVersions = (contents: readonly string[], outcomes: readonly Outcome[]): void => {
  const all = ['first\n', 'second\n']
  expect(contents).toEqual(all.filter((content) => contents.includes(content)))
  for (const [place, content] of all.entries())
    if (outcomes[place + 1]?.isError === false) expect(contents).toContain(content)
}
