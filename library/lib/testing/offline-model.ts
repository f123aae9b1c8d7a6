import { type Llm, OFFLINE_MODEL } from '@steward/contract'
import { createModelClient } from '@steward/models'

/** The real offline model, which is the default without a key. */
export const createOfflineModel = (): Llm => {
  const { call } = createModelClient({
    choice: {
      provider: 'offline',
      models: { fast: OFFLINE_MODEL, standard: OFFLINE_MODEL, deep: OFFLINE_MODEL },
      reason: 'the test asks for it',
    },
    fetch: () => Promise.reject(new Error('the offline model asked for the network')),
    sleep: () => Promise.reject(new Error('the offline model waited')),
    now: () => new Date('2026-11-15T08:00:00Z'),
  })
  return call
}
