import { OFFLINE_MODEL, StewardError } from '@steward/contract'
import type { ModelClient } from '@steward/models'
import { type Model, type ModelMessage, textBlock } from './model.ts'

/** Answers when no model is configured: it quotes, calls no tools, and says that it is offline. */
export const createOfflineModel = (client: ModelClient): Model => ({
  provider: 'offline',
  account: 'offline',
  free: true,
  ask: async ({ messages }, { signal, onDelta }) => {
    const said = await quote(client, textOf(messages.at(-1)), signal)
    const text = `(${OFFLINE_MODEL}: no model is configured, so this only quotes its input.)\n${said.text}`
    onDelta({ type: 'text', index: 0, text })
    return {
      content: [{ type: 'text', text }],
      stop: 'end_turn',
      usage: {
        input: said.input,
        output: said.output,
        cacheRead: 0,
        cacheWrite5m: 0,
        cacheWrite1h: 0,
      },
    }
  },
})

const quote = async (
  client: ModelClient,
  prompt: string,
  signal: AbortSignal,
): Promise<{ text: string; input: number; output: number }> => {
  try {
    const { text, usage } = await client.call(prompt, { signal })
    return { text, ...usage }
  } catch (thrown) {
    signal.throwIfAborted()
    // The prompt contained no sentence.
    if (thrown instanceof StewardError) return { text: prompt, input: 0, output: 0 }
    throw thrown
  }
}

const textOf = (message: ModelMessage | undefined): string =>
  (message?.content ?? [])
    .flatMap((block) => textBlock.safeParse(block).data?.text ?? [])
    .join('\n')
