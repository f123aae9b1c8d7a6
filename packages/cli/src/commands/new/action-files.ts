/** The files of a new action that already works: it counts the words of `content`. */
export const actionFiles = (name: string): Record<string, string> => ({
  'action.json': manifest(name),
  'action.ts': code,
  'action.test.ts': test(name),
})

const manifest = (name: string): string =>
  `${JSON.stringify(
    {
      $schema: '../../../schemas/action.schema.json',
      name,
      description: 'Counts the words of a text.',
      version: '1.0.0',
      input: { content: { type: 'string', required: true, description: 'The text.' } },
      output: { word_count: { type: 'integer' } },
      requires: [],
    },
    null,
    2,
  )}\n`

const code = `import type { ActionContextV2, Fields } from '../../../types/action.v2.d.ts'

/** Returns only what is new: every field that came in is kept for later actions. */
export const execute = (input: Fields, context: ActionContextV2): Fields => {
  const words = String(input.content).split(/\\s+/).filter(Boolean)
  context.log(\`counted \${words.length} words\`)
  return { word_count: words.length }
}
`

const test = (name: string): string => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionContextV2 } from '../../../types/action.v2.d.ts'
import { execute } from './action.ts'

const context: ActionContextV2 = {
  capabilities: {},
  env: { mode: 'local', secrets: [] },
  secret: () => undefined,
  signal: new AbortController().signal,
  now: () => new Date(0),
  trace: { runId: 'test', step: 1 },
  log: () => undefined,
}

test('${name} counts words', () => {
  assert.deepEqual(execute({ content: 'one  two\\nthree' }, context), { word_count: 3 })
})

test('${name} finds none in an empty text', () => {
  assert.deepEqual(execute({ content: ' ' }, context), { word_count: 0 })
})
`
