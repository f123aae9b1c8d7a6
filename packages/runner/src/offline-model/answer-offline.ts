import { type ErrorCode, type LlmAnswer, type LlmOptions, toStewardError } from '@steward/contract'
import { createOfflineClient } from '@steward/models'

export interface SentPrompt {
  prompt: string
  options: LlmOptions
}

/** A result without classes, which threads cannot send each other. */
export type SentAnswer =
  | { answer: LlmAnswer }
  | { error: { code: ErrorCode; message: string; details: Record<string, unknown> } }

/** Runs in a thread that can be ended: ranking the sentences of a long text takes a second. */
export const read = async ({ prompt, options }: SentPrompt): Promise<SentAnswer> => {
  try {
    return { answer: await createOfflineClient().call(prompt, options) }
  } catch (thrown) {
    const { code, message, details } = toStewardError(thrown)
    return { error: { code, message, details } }
  }
}
