import { z } from 'zod'
import type { MessagesRequest, Reply } from '../stand-in-messages.ts'

/**
 * The plan for the scripted model, as JSON in the text of a message: one tool per step, then the
 * end.
 */
const plan = z.object({
  name: z.string(),
  steps: z.array(z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) })),
})
export type Plan = z.infer<typeof plan>

export interface PlannedModel {
  answer: (request: MessagesRequest) => Reply
  /** How often each step was requested, as `name#step`. */
  asked: ReadonlyMap<string, number>
  /** Calls the listener on each request with the total so far. */
  onQuestion: (listener: (count: number) => void) => void
}

/**
 * A model whose response depends only on the conversation, so that a repeated request gets the same
 * response.
 */
export const createPlannedModel = (): PlannedModel => {
  const asked = new Map<string, number>()
  const listeners: ((count: number) => void)[] = []
  let count = 0
  return {
    asked,
    onQuestion: (listener) => listeners.push(listener),
    answer: ({ messages }) => {
      const { wanted, step } = findStep(messages)
      const key = `${wanted.name}#${step}`
      asked.set(key, (asked.get(key) ?? 0) + 1)
      count += 1
      for (const listener of listeners) listener(count)
      const next = wanted.steps[step]
      if (next === undefined) return { type: 'text', text: `${wanted.name} is done` }
      return { type: 'tool_use', name: next.tool, input: next.input }
    },
  }
}

const findStep = (messages: MessagesRequest['messages']): { wanted: Plan; step: number } => {
  let found: { wanted: Plan; step: number } | undefined
  for (const { role, content } of messages) {
    if (role === 'assistant' && found !== undefined) found.step += 1
    const texts = typeof content === 'string' ? [content] : content.map(({ text }) => text ?? '')
    for (const text of role === 'user' ? texts : [])
      if (text.startsWith('{')) found = { wanted: plan.parse(JSON.parse(text)), step: 0 }
  }
  if (found === undefined) throw new Error('no message of the conversation is a plan')
  return found
}
