import type { JsonObject } from '@steward/contract'
import { type Entry, event, objects, type Protocol, textIn } from './protocol.ts'

const isResult = ({ type }: JsonObject): boolean => type === 'tool_result'

/** Notes of Claude Code beside a result. */
const isNote = (part: JsonObject): boolean => /^\s*[<[]/.test(textIn(part))

/** Results come before what the person says; OpenCode puts both into one message. */
const readMessage = ({ content }: JsonObject): Entry[] => {
  const parts = objects(content)
  const results = parts.filter(isResult)
  if (results.length === 0) return [{ prompt: textIn(content) }]
  const said = textIn(parts.filter((part) => !isResult(part) && !isNote(part)))
  return [{ result: JSON.stringify(results) }, ...(said === '' ? [] : [{ prompt: said }])]
}

export const messages: Protocol = {
  matches: (path) => path.endsWith('/v1/messages'),
  read: (body) => {
    const said = objects(body.messages).filter(({ role }) => role === 'user')
    return {
      model: String(body.model),
      entries: said.flatMap(readMessage),
      tools: objects(body.tools).map(({ name }) => String(name)),
    }
  },
  speak: (outgoing, { call, model, move, usage }) => {
    const counts = {
      input_tokens: usage.input,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite,
    }
    const send = (type: string, fields: JsonObject) => event(outgoing, { type, ...fields }, type)
    const message = { id: `msg_${call}`, type: 'message', role: 'assistant', model, content: [] }
    send('message_start', {
      message: { ...message, stop_reason: null, usage: { ...counts, output_tokens: 1 } },
    })
    const block =
      move.type === 'tool'
        ? { type: 'tool_use', id: `toolu_${call}`, name: move.name, input: {} }
        : { type: 'text', text: '' }
    send('content_block_start', { index: 0, content_block: block })
    const delta =
      move.type === 'tool'
        ? { type: 'input_json_delta', partial_json: JSON.stringify(move.input) }
        : { type: 'text_delta', text: move.type === 'text' ? move.text : '' }
    send('content_block_delta', { index: 0, delta })
    send('content_block_stop', { index: 0 })
    const stop_reason = move.type === 'tool' ? 'tool_use' : 'end_turn'
    send('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { ...counts, output_tokens: usage.output },
    })
    send('message_stop', {})
    return usage
  },
}
