import { join } from 'node:path'
import type { Home } from '@steward/platform'
import { writeNewFolder } from '@steward/runner'
import { quoteWord } from '../../output/format.ts'
import { COMMAND } from '../../setup/command-name.ts'
import type { NewFiles } from './new-files.ts'

export const LANGUAGES = ['typescript', 'python', 'shell'] as const
export type Language = (typeof LANGUAGES)[number]

export const newAction = async (
  home: Home,
  name: string,
  language: Language,
): Promise<NewFiles> => {
  const folder = join(home.user.actions, name)
  const own = filesIn(language, name)
  const files = { 'action.json': manifest(name), ...own }
  await writeNewFolder(folder, files)
  const [main = '', ...tests] = Object.keys(own)
  return {
    paths: Object.keys(files).map((file) => join(folder, file)),
    next: [
      `${COMMAND} run ${name} --local --content "a b c"`,
      // The system's Node may be too old for TypeScript; this one is not.
      ...tests.map((file) =>
        [process.execPath, '--test', join(folder, file)].map(quoteWord).join(' '),
      ),
      `edit ${join(folder, main)}`,
    ],
  }
}

/** The code of a new, working action: it counts the words of `content`. */
const filesIn = (language: Language, name: string): Record<string, string> => {
  switch (language) {
    case 'typescript':
      return { 'action.ts': code, 'action.test.ts': test(name) }
    case 'python':
      return { 'action.py': python }
    case 'shell':
      return { 'action.sh': shell }
  }
}

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

/** Packages go into requirements.txt beside it. */
const python = `"""JSON on standard input, one JSON object on standard output, notes on standard error.

Packages listed in requirements.txt beside this file are installed into .venv.
"""
import json
import sys

fields = json.load(sys.stdin)
words = fields["content"].split()
print(f"counted {len(words)} words", file=sys.stderr)

# Only new fields: every input field is kept for later actions.
json.dump({"word_count": len(words)}, sys.stdout)
`

const shell = `# JSON on standard input, one JSON object on standard output, notes on standard error.
words=$(sed -E 's/.*"content" *: *"(([^"\\\\]|\\\\.)*)".*/\\1/; s/\\\\[nrt]/ /g' | wc -w)
echo "counted words" >&2

# Only new fields: every input field is kept for later actions.
printf '{"word_count": %d}\\n' "$words"
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
