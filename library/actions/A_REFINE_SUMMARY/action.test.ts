import { expect, test } from 'vitest'
import { runAction, scriptModel } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'
import { mergeSummary } from './merge-summary.ts'

const content =
  'Bees dance to point at flowers. The dance tells direction. Scouts also shake to wake the hive. The hive votes on a new home.'

const refine = (input: Record<string, unknown>, ...answers: Parameters<typeof scriptModel>) => {
  const { llm, calls } = scriptModel(...answers)
  return { calls, answer: runAction(manifest, action, input, { capabilities: { llm } }) }
}

test('the first time it summarises the whole text', async () => {
  const { calls, answer } = refine(
    { content, previousResult: null, iteration: 0 },
    { summary: 'Bees dance.' },
  )
  expect(await answer).toMatchObject({ summary: 'Bees dance.', content })
  expect(calls[0]?.prompt).toContain(`<content>\n${content}\n</content>`)
})

test('then it adds what was missing, using the relevant passages', async () => {
  const previousResult = { summary: 'Bees dance.', missing_terms: ['scouts', 'homes'] }
  const { calls, answer } = refine(
    { content, previousResult, iteration: 1 },
    { summary: 'Scouts shake.\nThe hive votes.' },
  )
  expect(await answer).toMatchObject({ summary: 'Bees dance. Scouts shake. The hive votes.' })
  expect(calls[0]?.prompt).toContain('lacks these points: scouts, homes.')
  expect(calls[0]?.prompt).toContain(
    '<content>\nScouts also shake to wake the hive. The hive votes on a new home.\n</content>',
  )
})

test('if nothing is missing the draft is kept and no model is called', async () => {
  const previousResult = { summary: 'Bees dance.', missing_terms: [] }
  const { calls, answer } = refine({ content, previousResult, iteration: 2 }, {})
  expect(await answer).toMatchObject({ summary: 'Bees dance.' })
  expect(calls).toHaveLength(0)
})

test('quoted sentences are in text order, without duplicates', () => {
  expect(
    mergeSummary(
      'The hive votes on a new home.',
      'Bees dance to point at flowers. The hive votes on a new home.',
      content,
    ),
  ).toBe('Bees dance to point at flowers. The hive votes on a new home.')
})

test('a summary that grows too long loses the sentence that is missed least', () => {
  const filler = `So ${'it goes on '.repeat(60)}here.`
  expect(mergeSummary(`Bees dance. ${filler}`, 'The hive votes on a home.', content)).toBe(
    'Bees dance. The hive votes on a home.',
  )
})

test('refuses an address in place of a text', async () => {
  await expect(refine({ content: 'https://example.org' }, {}).answer).rejects.toMatchObject({
    code: 'rejected_content',
  })
})
