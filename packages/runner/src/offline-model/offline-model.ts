import { LIMITS, OFFLINE_MODEL, StewardError } from '@steward/contract'
import { createOfflineClient, type ModelClient } from '@steward/models'
import { createReaderThreads, type ReaderThreadsOptions } from '@steward/platform'
import type { SentAnswer, SentPrompt } from './answer-offline.ts'
import { OFFLINE_MODULE } from './offline-module.ts'

/** A prompt of this size is answered sooner than a thread takes to start. */
const SMALL_CHARS = 16 * 1024

/** The offline model; long prompts are answered in a thread, so that the daemon answers meanwhile. */
export const createOfflineModel = (
  options: Partial<Pick<ReaderThreadsOptions, 'limitMs' | 'startTimer'>> = {},
): ModelClient => {
  const client = createOfflineClient()
  const threads = createReaderThreads<SentPrompt, SentAnswer>({
    module: OFFLINE_MODULE,
    limitMs: LIMITS.offlineModelMs,
    heapBytes: LIMITS.offlineModelHeapBytes,
    ...options,
  })
  return {
    ...client,
    call: async (prompt, { signal, idempotencyKey, ...asked } = {}) => {
      if (prompt.length <= SMALL_CHARS) return client.call(prompt, { ...asked, signal })
      const sent = await threads.read({ prompt, options: asked }, OFFLINE_MODEL, signal)
      if ('answer' in sent) return sent.answer
      const { code, message, details } = sent.error
      throw StewardError.restore(code, message, details)
    },
  }
}
