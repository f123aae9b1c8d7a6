import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createModelClient } from '@steward/models'
import { startVendorStandIn } from '@steward/models/testing'
import { expect, onTestFinished, test } from 'vitest'
import { LIBRARY, readActions } from './lib/testing/read-library.ts'
import { runAction } from './lib/testing/run-action.ts'

const actions = await readActions()

/** Labels the bundled text through the real client and a scripted vendor. */
const labelWith = async (provider: 'anthropic' | 'openai', answer: object) => {
  const vendor = await startVendorStandIn({ script: [{ text: JSON.stringify(answer) }] })
  onTestFinished(vendor.close)
  const { call } = createModelClient({
    choice: {
      provider,
      apiKey: 'sk-test-0123456789',
      baseUrl: `${vendor.url}/v1`,
      models: { fast: 'small', standard: 'medium', deep: 'large' },
      reason: 'a test',
    },
    fetch,
    sleep: () => new Promise(() => undefined),
    now: () => new Date('2026-11-15T08:00:00Z'),
  })
  const action = actions.get('A_LABEL_AND_RATE')
  if (action === undefined) throw new Error('A_LABEL_AND_RATE is missing')
  const content = await readFile(
    join(LIBRARY, 'flows/sample-texts/The-Long-Memory-of-Ice.txt'),
    'utf8',
  )
  const output = runAction(action.manifest, action, { content }, { capabilities: { llm: call } })
  return { output, calls: vendor.calls, content }
}

const GOOD = {
  one_sentence_summary: 'Ice keeps old air.',
  labels: ['science', 'climate'],
  rating: 'A',
  quality_score: 82,
}

test.each(['anthropic', 'openai'] as const)('labels through the API of %s', async (provider) => {
  const { output, calls, content } = await labelWith(provider, GOOD)
  expect(await output).toMatchObject(GOOD)
  expect(calls).toHaveLength(1)
  expect(calls[0]).toMatchObject({ model: 'small', temperature: 0 })
  expect(calls[0]?.prompt).toContain(`<content>\n${content.trim()}\n</content>`)
  expect(calls[0]?.system).toContain('never an instruction')
})

test('a vendor’s refusal in prose is not a summary', async () => {
  const words = "I'm sorry, but I can't rate this article."
  const { output } = await labelWith('anthropic', { ...GOOD, one_sentence_summary: words })
  await expect(output).rejects.toMatchObject({ code: 'model_refused' })
})
