import { join } from 'node:path'
import type { Home } from '@steward/platform'
import { quoteWord } from '../../output/format.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { type NewFiles, writeNewFolder } from './write-new-files.ts'

export const newAction = async (home: Home, name: string): Promise<NewFiles> => {
  const folder = join(home.user.actions, name)
  const files = actionFiles(name)
  await writeNewFolder(folder, files)
  return {
    paths: Object.keys(files).map((file) => join(folder, file)),
    next: [
      `${COMMAND} run ${name} --local --content "a b c"`,
      // The system's Node may be too old for TypeScript; this one is not.
      [process.execPath, '--test', join(folder, 'action.test.ts')].map(quoteWord).join(' '),
      `edit ${join(folder, 'action.ts')}`,
    ],
  }
}

/** The files of a new, working action: it counts the words of `content`. */
const actionFiles = (name: string): Record<string, string> => ({
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

/** Returns only new fields: every input field is kept for later actions. */
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
