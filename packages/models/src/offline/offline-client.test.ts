import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createOfflineClient } from './offline-client.ts'

const client = createOfflineClient()

const ARTICLE = `# Mail server flaw lets strangers read queues

A flaw in the Postbox mail server lets strangers read queued messages without a password, its maintainers said on Monday. The flaw has been in every version of the mail server since 2019.

Version 4.2 closes the hole, and administrators are urged to update at once. About 60,000 mail servers answer on the open internet, according to a scan by Northlight Labs.

"We found no sign that attackers used it before the fix," said Ana Ruiz, who maintains the mail server. However, logs of most servers do not go back that far.

The researchers reported the vulnerability in March. Subscribe to our newsletter for more like this!`

const prompt = `Work on this article.\n<content>${ARTICLE}</content>`

const LABELS = ['AI', 'Security', 'Health', 'Sports', 'Other']
const schema = {
  type: 'object',
  properties: {
    one_sentence_summary: { type: 'string', description: 'What it says, in one sentence.' },
    labels: { type: 'array', items: { type: 'string', enum: LABELS }, maxItems: 3 },
    keywords: { type: 'array', items: { type: 'string' }, maxItems: 4 },
    key_points: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 },
    rating: { type: 'string', enum: ['S', 'A', 'B', 'C', 'D'] },
    quality_score: { type: 'integer', minimum: 1, maximum: 100 },
    urgency: { type: 'integer', description: 'from 1 to 10' },
    title: { type: 'string' },
    word_count: { type: 'integer', minimum: 0, maximum: 100_000 },
    is_security_related: { type: 'boolean' },
    is_sports: { type: 'boolean' },
  },
  required: ['one_sentence_summary', 'labels', 'rating', 'quality_score'],
}

describe('the offline model', () => {
  it('identifies itself, costs nothing and is deterministic', async () => {
    const answer = await client.call(prompt)
    expect(answer).toMatchObject({ model: 'offline-extractive', provider: 'offline', cost: 0 })
    expect(answer.usage.input).toBeGreaterThan(answer.usage.output)
    expect(await client.call(prompt)).toEqual(answer)
    expect(client.estimate(prompt)).toEqual({ model: 'offline-extractive', maxCost: 0 })
  })

  it('quotes: every sentence of a summary is in the article, none of them boilerplate', async () => {
    const { text } = await client.call(`Summarize in two sentences.\n<content>${ARTICLE}</content>`)
    expect(text).toBe(
      'A flaw in the Postbox mail server lets strangers read queued messages without a password, its maintainers said on Monday. About 60,000 mail servers answer on the open internet, according to a scan by Northlight Labs.',
    )
  })

  it('respects its token limit', async () => {
    const { text, usage } = await client.call(prompt, { maxTokens: 60 })
    expect(usage.output).toBeLessThanOrEqual(60)
    expect(text.length).toBeGreaterThan(40)
  })

  it('fills a schema by the meaning of its names', async () => {
    const { json } = await client.call(prompt, { schema })
    expect(json).toMatchObject({
      one_sentence_summary: expect.stringMatching(/^A flaw in the Postbox mail server/),
      labels: ['Security'],
      keywords: expect.arrayContaining(['mail server', 'flaw']),
      title: 'Mail server flaw lets strangers read queues',
      is_security_related: true,
      is_sports: false,
      word_count: 114,
    })
  })

  it('lists points that are not in the summary', async () => {
    const { json } = await client.call(prompt, {
      schema: {
        properties: {
          summary: { type: 'string', description: 'Two sentences.' },
          key_points: { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 3 },
        },
      },
    })
    const { summary, key_points } = z
      .object({ summary: z.string(), key_points: z.array(z.string()).length(3) })
      .parse(json)
    expect(key_points.filter((point) => summary.includes(point))).toEqual([])
  })

  it('rates a thin, loud text below a real one', async () => {
    const loud =
      '<content>AMAZING offer!!! Click here now!!! You will not believe it. Buy now!</content>'
    const [real, thin] = await Promise.all([
      client.call(prompt, { schema }),
      client.call(loud, { schema }),
    ])
    expect(real.json).toMatchObject({ rating: expect.stringMatching(/[ABC]/) })
    expect(thin.json).toMatchObject({ rating: 'D', labels: ['Other'] })
  })

  it('returns a summary, points and labels if only JSON is requested', async () => {
    const { json } = await client.call(prompt, { json: true })
    expect(json).toMatchObject({ summary: expect.any(String), key_points: expect.any(Array) })
  })

  it('reports when it cannot satisfy a schema', async () => {
    const strict = {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^[A-F]{40}$' } },
    }
    await expect(client.call(prompt, { schema: strict })).rejects.toMatchObject({
      code: 'model_malformed',
    })
  })

  it('answers any prompt and any simple schema, or says why not', async () => {
    const leaf = fc.oneof(
      fc.constant({ type: 'string' }),
      fc.constant({ type: 'boolean' }),
      fc.constant({ type: 'null' }),
      fc.constant({ type: ['integer', 'null'], minimum: 3, maximum: 4 }),
      fc.constant({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }),
      fc.constant({ enum: ['low', 'high'] }),
      fc.constant({ const: 7 }),
      fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 1, max: 40 }) }),
      fc.record({
        type: fc.constant('array'),
        items: fc.constant({ type: 'string' }),
        maxItems: fc.integer({ min: 0, max: 4 }),
      }),
    )
    const shape = fc.letrec((tie) => ({
      schema: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), tie('choice')),
      object: fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('title', 'score', 'tags', 'x'), tie('schema')),
      }),
      choice: fc.record({ anyOf: fc.tuple(fc.constant({ type: 'null' }), tie('schema')) }),
    }))
    const material = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(ARTICLE))
    await fc.assert(
      fc.asyncProperty(material, fc.record({ inner: shape.schema }), async (text, properties) => {
        const call = client.call(`<content>${text}</content>`, {
          schema: { type: 'object', properties, required: ['inner'] },
        })
        await expect(call).resolves.toHaveProperty('json.inner')
      }),
      { numRuns: 60 },
    )
  })
})
