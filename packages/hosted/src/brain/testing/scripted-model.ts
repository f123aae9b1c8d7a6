import type { CallTokens } from '@steward/models'
import type { AskOptions, Model, ModelBlock, ModelReply, ModelRequest } from '../models/model.ts'

/** A model that gives prepared answers in order and records its requests. */
export interface ScriptedModel extends Model {
  readonly asked: readonly ModelRequest[]
}

export type ScriptedAnswer = (
  request: ModelRequest,
  options: AskOptions,
) => ModelReply | Promise<ModelReply>

const USAGE = { input: 100, output: 10, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

export const says =
  (text: string, more: Partial<ModelReply> = {}): ScriptedAnswer =>
  (_, { onDelta }) => {
    onDelta({ type: 'text', index: 0, text })
    return { content: [{ type: 'text', text }], stop: 'end_turn', usage: USAGE, ...more }
  }

interface ScriptedCall {
  id: string
  name: string
  input?: Record<string, unknown>
}

export const calls =
  (...given: readonly (ScriptedCall | { usage: CallTokens })[]): ScriptedAnswer =>
  () => ({
    content: given.flatMap((part): ModelBlock[] =>
      'usage' in part
        ? []
        : [{ type: 'tool_use', id: part.id, name: part.name, input: part.input ?? {} }],
    ),
    stop: 'tool_use',
    usage: given.flatMap((part) => ('usage' in part ? [part.usage] : []))[0] ?? USAGE,
  })

export const failsWith =
  (error: Error): ScriptedAnswer =>
  () => {
    throw error
  }

/** Never answers; ends when aborted. */
export const hangs: ScriptedAnswer = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

export const scriptModel = (answers: readonly ScriptedAnswer[]): ScriptedModel => {
  const asked: ModelRequest[] = []
  return {
    provider: 'scripted',
    account: 'scripted',
    free: false,
    asked,
    ask: async (request, options) => {
      const answer = answers[asked.length]
      asked.push(request)
      if (answer === undefined) throw new Error(`the script has ${answers.length} answers only`)
      return answer(request, options)
    },
  }
}
