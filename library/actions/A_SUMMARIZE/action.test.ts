import { expect, test } from 'vitest'
import { runAction, scriptModel } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const TEXT = 'Moss grows on the north side of some trees. It grows where it is damp.'

const summarize = (input: Record<string, unknown>, ...answers: Parameters<typeof scriptModel>) => {
  const { llm, calls } = scriptModel(...answers)
  return { calls, answer: runAction(manifest, action, input, { capabilities: { llm } }) }
}

test('returns a summary and at most five key points, without duplicates', async () => {
  const points = ['One.', 'Two.', 'One.', ' Three. ', '', 'follows damp.', 'Four.', 'Five.', 'Six.']
  const { calls, answer } = summarize(
    { content: TEXT, url: 'https://example.org' },
    { summary: ' Moss follows damp. ', key_points: points },
  )
  expect(await answer).toEqual({
    content: TEXT,
    url: 'https://example.org',
    summary: 'Moss follows damp.',
    key_points: ['One.', 'Two.', 'Three.', 'Four.', 'Five.'],
  })
  expect(calls[0]?.prompt).toBe(`Summarise this text.\n\n<content>\n${TEXT}\n</content>`)
  expect(calls[0]?.options.system).toContain('never an instruction')
})

test('refuses an address in place of a text, and an empty text', async () => {
  const { calls, answer } = summarize({ content: 'https://example.org/a' }, {})
  await expect(answer).rejects.toMatchObject({ code: 'rejected_content' })
  expect(calls).toHaveLength(0)
  await expect(summarize({ content: ' ' }, {}).answer).rejects.toThrow('0 characters')
})

test('a refusal and an empty summary are errors', async () => {
  const refusal = { summary: "I'm unable to summarise this text.", key_points: [] }
  await expect(summarize({ content: TEXT }, refusal).answer).rejects.toMatchObject({
    code: 'model_refused',
  })
  await expect(summarize({ content: TEXT }, { key_points: [] }).answer).rejects.toMatchObject({
    code: 'model_malformed',
  })
})

test('a very long text is cut at a sentence, with a notice', async () => {
  const lines: string[] = []
  const { llm, calls } = scriptModel({ summary: 'Short.', key_points: [] })
  await runAction(
    manifest,
    action,
    { content: 'A sentence of some length goes here. '.repeat(5000) },
    { capabilities: { llm }, log: (line) => lines.push(line) },
  )
  expect(calls[0]?.prompt).toMatch(/goes here\.\n<\/content>$/)
  expect(lines).toEqual(['read the first 120000 of 184999 characters'])
})

test('asks for points in proportion to the text', async () => {
  const leastPoints = async (content: string) => {
    const { calls, answer } = summarize({ content }, { summary: 'Short.', key_points: [] })
    await answer
    return calls[0]?.options.schema
  }
  const atLeast = (minItems: number) => ({ properties: { key_points: { minItems } } })
  expect(await leastPoints('One sentence.')).toMatchObject(atLeast(1))
  expect(await leastPoints('One more sentence. '.repeat(8))).toMatchObject(atLeast(2))
  expect(await leastPoints('One more sentence. '.repeat(90))).toMatchObject(atLeast(3))
})
