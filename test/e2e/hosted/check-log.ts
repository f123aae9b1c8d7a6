import { expect } from 'vitest'
import type { Followed, SessionEvent } from './follow-plan.ts'
import type { Plan } from './plan.ts'

/** The log that a plan must produce, however often its server was killed. */
export const expectedLog = ({ name, steps }: Plan, customTools: ReadonlySet<string>): string[] => [
  'user.message',
  'session.status_running',
  ...steps.flatMap(({ tool }) =>
    customTools.has(tool)
      ? [
          ...[
            'span.model_request_start',
            `agent.custom_tool_use ${tool}`,
            'span.model_request_end',
          ],
          ...['session.status_idle requires_action', 'user.custom_tool_result'],
          'session.status_running',
        ]
      : [
          ...['span.model_request_start', `agent.tool_use ${tool}`, 'span.model_request_end'],
          'agent.tool_result',
        ],
  ),
  'span.model_request_start',
  `agent.message ${name} is done`,
  'span.model_request_end',
  'session.status_idle end_turn',
]

/** The log as text, without interrupted model calls, and the number of those calls. */
export const readLog = (events: readonly SessionEvent[]): { words: string[]; cutOff: number } => {
  const cut = new Set<string>()
  for (const event of events)
    if (event.type === 'span.model_request_end' && event.is_error === true) {
      cut.add(event.id)
      cut.add(event.model_request_start_id)
    }
  return {
    words: events.filter(({ id }) => !cut.has(id)).map(toWords),
    cutOff: cut.size / 2,
  }
}

const toWords = (event: SessionEvent): string => {
  if (event.type === 'session.status_idle') return `${event.type} ${event.stop_reason.type}`
  if (event.type === 'agent.tool_use' || event.type === 'agent.custom_tool_use')
    return `${event.type} ${event.name}`
  if (event.type === 'session.error') return `${event.type} ${JSON.stringify(event.error)}`
  if (event.type !== 'agent.message') return event.type
  const texts = event.content.map((block) => (block.type === 'text' ? block.text : ''))
  return `${event.type} ${texts.join('')}`
}

/**
 * Checks that no id occurs twice in the log, that the consumer saw every event, and that each
 * stream delivered a contiguous part of the log, in order and without duplicates.
 */
export const checkSeen = (
  events: readonly SessionEvent[],
  { seen, streamed }: Pick<Followed, 'seen' | 'streamed'>,
): void => {
  const ids = events.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(seen.keys())).toEqual(new Set(ids))
  for (const heard of streamed) {
    const start = heard[0] === undefined ? 0 : ids.indexOf(heard[0])
    expect(heard).toEqual(ids.slice(start, start + heard.length))
  }
}
