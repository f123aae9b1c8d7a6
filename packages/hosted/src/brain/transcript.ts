import { z } from 'zod'
import {
  type ModelBlock,
  type ModelMessage,
  modelBlock,
  textBlock,
  toolUseBlock,
} from './models/model.ts'

const result = z.looseObject({
  type: z.literal('tool_result'),
  content: z.array(modelBlock).optional(),
  is_error: z.boolean().optional(),
})

/** A lower bound of characters per token in ordinary text. */
const CHARS_PER_TOKEN = 3

/**
 * The conversation as plain text for a model that summarises or judges it. Long parts lose their
 * middle: the beginning holds the task and the end the current state.
 */
export const writeTranscript = (messages: readonly ModelMessage[], tokens: number): string => {
  const text = messages
    .map(({ role, content }) => `${NAMES[role]}:\n${content.map(writeBlock).join('\n')}`)
    .join('\n\n')
  return cutMiddle(text, tokens * CHARS_PER_TOKEN)
}

const NAMES = { user: 'Person', assistant: 'Agent', system: 'Instruction' } as const
const RESULT_CHARS = 4000

const writeBlock = (block: ModelBlock): string => {
  const text = textBlock.safeParse(block)
  if (text.success) return text.data.text
  const call = toolUseBlock.safeParse(block)
  if (call.success)
    return `[calls ${call.data.name}] ${cutMiddle(JSON.stringify(call.data.input), RESULT_CHARS)}`
  const answer = result.safeParse(block)
  if (!answer.success) return `[${block.type}]`
  const said = (answer.data.content ?? []).map(writeBlock).join('\n')
  return `[${answer.data.is_error ? 'failed' : 'result'}] ${cutMiddle(said, RESULT_CHARS)}`
}

const cutMiddle = (text: string, most: number): string => {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)}\n[… left out …]\n${text.slice(-half)}`
}
