import { OFFLINE_MODEL } from '@steward/contract'
import { expect, test } from 'vitest'
import { createHostedModel } from './create-hosted-model.ts'

test('the offline model quotes and identifies itself', async () => {
  const model = createHostedModel(
    {
      provider: 'offline',
      models: { fast: OFFLINE_MODEL, standard: OFFLINE_MODEL, deep: OFFLINE_MODEL },
      reason: 'a test',
    },
    { fetch, sleep: async () => undefined, now: () => new Date(0) },
  )
  const ask = (text: string) =>
    model.ask(
      {
        model: { id: 'claude-sonnet-5-5' },
        system: null,
        tools: [],
        messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      },
      { signal: new AbortController().signal, onDelta: () => undefined },
    )
  const { content, stop } = await ask('The river is high. The bridge is closed until Monday.')
  expect(stop).toBe('end_turn')
  expect(content[0]?.text).toContain(OFFLINE_MODEL)
  expect(content[0]?.text).toContain('bridge is closed')
  expect((await ask('?')).content[0]?.text).toContain(OFFLINE_MODEL)
  expect(model.free).toBe(true)
})
