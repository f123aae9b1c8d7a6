import type { JsonObject } from '@steward/contract'
import { event, objects, type Protocol, textIn } from './protocol.ts'

const THOUGHTS = 5

export const generateContent: Protocol = {
  matches: (path) => /:(stream)?generateContent$/i.test(path),
  read: (body, path) => {
    const isResult = (item: JsonObject) =>
      objects(item.parts).some((part) => part.functionResponse !== undefined)
    const items = objects(body.contents).filter(({ role }) => role === 'user')
    const declared = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations))
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown',
      entries: items.map((item) =>
        isResult(item) ? { result: JSON.stringify(item) } : { prompt: textIn(item.parts) },
      ),
      tools: declared.map(({ name }) => String(name)),
    }
  },
  speak: (outgoing, { model, move, usage }) => {
    const part =
      move.type === 'tool'
        ? { functionCall: { name: move.name, args: move.input } }
        : { text: move.type === 'text' ? move.text : '' }
    event(outgoing, {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      modelVersion: model,
      usageMetadata: {
        promptTokenCount: usage.input + usage.cacheRead,
        cachedContentTokenCount: usage.cacheRead,
        candidatesTokenCount: usage.output - THOUGHTS,
        thoughtsTokenCount: THOUGHTS,
        totalTokenCount: usage.input + usage.cacheRead + usage.output,
      },
    })
    return { ...usage, cacheWrite: 0 }
  },
}
