import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../../errors/exit-codes.ts'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

const prepare = (files: Readonly<Record<string, string>>) => {
  const home = mkdtempSync(join(tmpdir(), 'steward-list-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, 'USER', name)), { recursive: true })
    writeFileSync(join(home, 'USER', name), text)
  }
  return async (...args: string[]) => {
    const io = memoryIo({ args, env: { STEWARD_HOME: home, PATH: process.env.PATH }, cwd: home })
    await runCli(io)
    return { code: io.exitCode, out: io.out.text(), err: io.err.text() }
  }
}

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name, description: 'A test.', input: {}, output: {}, ...more }, null, 2)

/** Code that would stop any process that loads it. */
const HOSTILE = {
  'ACTIONS/A_HANG_FOREVER/action.json': manifest('A_HANG_FOREVER'),
  'ACTIONS/A_HANG_FOREVER/action.ts': 'await new Promise(() => {})',
  'ACTIONS/A_EXIT_EARLY/action.json': manifest('A_EXIT_EARLY'),
  'ACTIONS/A_EXIT_EARLY/action.ts': 'process.exit(0)',
}

const BROKEN = {
  'ACTIONS/A_BREAK_KEYS/action.json': manifest('A_BREAK_KEYS', { timeout: 5 }),
  'ACTIONS/A_BREAK_KEYS/action.ts': 'export const execute = () => ({})',
  'PIPELINES/P_BREAK_IT.yaml':
    'name: P_BREAK_IT\ndescription: x\nretries: 3\nactions:\n  - A_SUMMARISE_TEXT\n',
  'FLOWS/flow-index.json': `{
  "flows": [
    {
      "id": "one",
      "name": "F_BREAK_IT",
      "source": { "type": "rss", "url": "https://example.com/feed" },
      "pipeline": "P_ARTICLE_DIGESTS",
      "destination": { "type": "file", "path": "x.md" },
      "schedule": { "intervalMinutes": 60, "enabled": true }
    },
    {
      "id": "two",
      "name": "F_BREAK_KEYS",
      "source": { "type": "rss", "url": "https://example.com/feed" },
      "pipeline": "P_ARTICLE_DIGEST",
      "destination": { "type": "file", "path": "x.md" },
      "schedule": { "intervalMinutes": 60, "enabled": true, "cron": "0 7 * * *" },
      "concurency": 3
    }
  ]
}`,
}

const MISTAKES = [
  /A_BREAK_KEYS\/action\.json: line 6: timeout: unknown key \(did you mean timeoutMs\?\)/,
  /P_BREAK_IT\.yaml: line 3: retries: unknown key/,
  /flow-index\.json: F_BREAK_IT: line 7: pipeline: P_ARTICLE_DIGESTS does not exist \(did you mean P_ARTICLE_DIGEST\?\)/,
  /flow-index\.json: line 17: flows\[1\]\.schedule\.cron: cannot be combined with intervalMinutes; line 18: flows\[1\]\.concurency: unknown key \(did you mean concurrency\?\)/,
]

test('list shows every mistake with file, line and nearest name, and hides nothing', async () => {
  const { code, out } = await prepare({ ...HOSTILE, ...BROKEN })('list')
  expect(code).toBe(EXIT.success)
  for (const mistake of MISTAKES) expect(out).toMatch(mistake)
  for (const name of ['A_HANG_FOREVER', 'A_EXIT_EARLY', 'F_SAMPLE_DIGEST', 'P_ARTICLE_DIGEST']) {
    expect(out).toContain(name)
  }
})

test('doctor shows the same mistakes and runs no action', async () => {
  const { code, out } = await prepare({ ...HOSTILE, ...BROKEN })('doctor', '--json')
  expect(code).toBe(EXIT.failed)
  for (const mistake of MISTAKES) expect(JSON.stringify(JSON.parse(out))).toMatch(mistake)
})

test('a new action with the name of a built-in one says that it overrides it', async () => {
  const run = prepare({})
  const made = await run('new', 'action', 'A_LABEL_AND_RATE', '--json')
  expect(JSON.parse(made.out)).toMatchObject({ overrides: true })
  expect(made.err).toContain('A_LABEL_AND_RATE now overrides the built-in action of the same name')
  const other = await run('new', 'action', 'A_COUNT_WORDS', '--json')
  expect(JSON.parse(other.out)).toMatchObject({ overrides: false })
  expect(other.err).not.toContain('overrides')
})
