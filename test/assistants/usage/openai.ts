import { isJsonObject, type JsonObject } from '@steward/contract'
import { type Entry, event, objects, type Protocol, textIn } from './protocol.ts'

export const responses: Protocol = {
  matches: (path) => path.endsWith('/responses'),
  read: (body) => {
    return {
      model: String(body.model),
      entries: objects(body.input).flatMap((item): Entry[] => {
        if (String(item.type).endsWith('_output')) return [{ result: JSON.stringify(item.output) }]
        const text = textIn(item.content)
        return item.role === 'user' && !/^\s*</.test(text) ? [{ prompt: text }] : []
      }),
      tools: objects(body.tools).map(({ name, type }) => String(name ?? type)),
    }
  },
  speak: (outgoing, { call, model, move, usage }) => {
    const send = (type: string, fields: JsonObject) => event(outgoing, { type, ...fields }, type)
    send('response.created', { response: { id: `resp_${call}`, model } })
    const item =
      move.type === 'tool'
        ? {
            type: 'function_call',
            call_id: `call_${call}`,
            name: move.name,
            ...(move.namespace === undefined ? {} : { namespace: move.namespace }),
            arguments: JSON.stringify(move.input),
          }
        : {
            type: 'message',
            id: `msg_${call}`,
            role: 'assistant',
            content: [{ type: 'output_text', text: move.type === 'text' ? move.text : '' }],
          }
    send('response.output_item.done', { output_index: 0, item })
    send('response.completed', {
      response: {
        id: `resp_${call}`,
        model,
        output: [item],
        usage: {
          input_tokens: usage.input + usage.cacheRead,
          input_tokens_details: { cached_tokens: usage.cacheRead },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 5 },
          total_tokens: usage.input + usage.cacheRead + usage.output,
        },
      },
    })
    return { ...usage, cacheWrite: 0 }
  },
}

export const completions: Protocol = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => {
    return {
      model: String(body.model),
      entries: objects(body.messages).flatMap((item): Entry[] => {
        if (item.role === 'tool') return [{ result: JSON.stringify(item) }]
        return item.role === 'user' ? [{ prompt: textIn(item.content) }] : []
      }),
      tools: objects(body.tools).flatMap((tool) =>
        isJsonObject(tool.function) ? [String(tool.function.name)] : [],
      ),
    }
  },
  speak: (outgoing, { call, model, move, usage }) => {
    const base = { id: `chat_${call}`, object: 'chat.completion.chunk', created: 1, model }
    const delta =
      move.type === 'tool'
        ? {
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: `call_${call}`,
                type: 'function',
                function: { name: move.name, arguments: JSON.stringify(move.input) },
              },
            ],
          }
        : { role: 'assistant', content: move.type === 'text' ? move.text : '' }
    event(outgoing, { ...base, choices: [{ index: 0, delta, finish_reason: null }] })
    const finish_reason = move.type === 'tool' ? 'tool_calls' : 'stop'
    event(outgoing, {
      ...base,
      choices: [{ index: 0, delta: {}, finish_reason }],
      usage: {
        prompt_tokens: usage.input + usage.cacheRead,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.cacheRead + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    })
    outgoing.write('data: [DONE]\n\n')
    return { ...usage, cacheWrite: 0 }
  },
}
