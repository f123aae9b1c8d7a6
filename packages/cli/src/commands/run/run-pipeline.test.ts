import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../../platform/src/testing/temporary-home.ts'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let home: TemporaryHome
beforeEach(() => {
  home = createTemporaryHome()
  const fields = { n: { type: 'integer', required: false } }
  home.action('A_ADD_ONE', 'return { n: input.n + 1 }', { input: fields, output: fields })
  home.action('A_FAIL_BIG', "if (input.n > 5) throw new Error('too big'); return {}")
  home.write(
    'USER/PIPELINES/P_SHOW_ALL.yaml',
    `name: P_SHOW_ALL
description: All kinds.
input:
  least: { type: integer, default: 2 }
  pages: { type: array, default: [] }
actions:
  - A_ADD_ONE
  - when: n > least
  - parallel:
      - [A_ADD_ONE]
      - [A_FAIL_BIG]
  - each: pages
    do: [A_ADD_ONE]
`,
  )
})
afterEach(() => home.remove())

const run = async (...args: string[]) => {
  const env = { STEWARD_HOME: home.path }
  const io = memoryIo({ args, env, homedir: home.path, cwd: home.path })
  return { code: await runCli(io), out: io.out.text(), err: io.err.text() }
}
const outlineOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => /^\d\S*\. .*(completed|failed|filtered)/.exec(line)?.[0] ?? [])

test('every step and branch is shown, and a failed branch is resumed and rerun', async () => {
  const pages = JSON.stringify([1, 2, 3, 4, 5].map((n) => ({ n })))
  const ran = await run('run', 'P_SHOW_ALL', '--local', '--n', '2', '--pages', pages)
  expect(ran.code).toBe(0)
  expect(JSON.parse(ran.out)).toEqual({
    n: 4,
    least: 2,
    pages: [2, 3, 4, 5, 6].map((n) => ({ n })),
  })
  const shown = await run('runs', 'show', 'last')
  expect(outlineOf(shown.out)).toEqual([
    '1. A_ADD_ONE completed',
    '2. when n > least completed',
    '3. parallel completed',
    '3.parallel[1].1. A_ADD_ONE completed',
    '3.parallel[2].1. A_FAIL_BIG completed',
    '4. each pages completed',
    '4.each[1].1. A_ADD_ONE completed',
    '4.each[2].1. A_ADD_ONE completed',
    '4.each[3].1. A_ADD_ONE completed',
  ])
  expect(shown.out).toContain('and 2 steps of further elements: --full shows them')
  expect(outlineOf((await run('runs', 'show', 'last', '--full')).out)).toHaveLength(11)

  const failed = await run('run', 'P_SHOW_ALL', '--local', '--n', '7')
  expect(failed).toMatchObject({ code: 1, out: '' })
  expect(outlineOf((await run('runs', 'show', 'last')).out).slice(2)).toEqual([
    '3. parallel failed',
    '3.parallel[1].1. A_ADD_ONE completed',
    '3.parallel[2].1. A_FAIL_BIG failed',
  ])
  home.action('A_FAIL_BIG', 'return {}')
  const resumed = await run('runs', 'resume', 'last')
  expect(JSON.parse(resumed.out)).toEqual({ n: 9, least: 2, pages: [] })
  const again = await run('rerun', 'last', '--from', '3.parallel[2].1', '--verbose')
  expect(JSON.parse(again.out)).toEqual({ n: 9, least: 2, pages: [] })
  expect(again.err).not.toContain('A_ADD_ONE started')
})

test('a filtered run prints no output and exits 0', async () => {
  const ran = await run('run', 'P_SHOW_ALL', '--local', '--n', '1')
  expect(ran).toMatchObject({ code: 0, out: '' })
  expect(ran.err).toContain('P_SHOW_ALL filtered by n > least in')
  expect((await run('runs', '--status', 'filtered')).out).toContain('P_SHOW_ALL')
  const whole = await run('run', 'P_SHOW_ALL', '--local', '--n', '1', '--json')
  expect(JSON.parse(whole.out)).toMatchObject({
    success: true,
    filtered: 'n > least',
    output: { n: 2 },
    steps: [
      { path: '1', action: 'A_ADD_ONE', status: 'completed' },
      { path: '2', action: 'when n > least', status: 'filtered' },
    ],
  })
})

test('mistakes are reported with their line before anything runs', async () => {
  home.write(
    'USER/PIPELINES/P_TYPO_HERE.yaml',
    'name: P_TYPO_HERE\ndescription: T.\nactions:\n  - A_ADD_ONE\n  - when: nn > 1\n  - A_ADD_ONE\n',
  )
  const ran = await run('run', 'P_TYPO_HERE', '--local', '--n', '1')
  expect(ran.err).toContain(
    'P_TYPO_HERE.yaml: line 5: actions[1].when: no action here has a field nn',
  )
  expect((await run('list')).out).toContain('no action here has a field nn')
  const wrong = await run('run', 'P_SHOW_ALL', '--local', '--n', '1', '--least', 'many')
  expect(wrong.err).toContain('"least" must be an integer')
})
