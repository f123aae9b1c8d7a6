import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../../errors/exit-codes.ts'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

const prepare = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), 'steward-edge-build-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, 'home', 'USER', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const run = async (...args: string[]) => {
    const io = memoryIo({
      args: ['edge', 'build', ...args],
      env: { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH },
      cwd: root,
    })
    await runCli(io)
    return { code: io.exitCode, out: io.out.text(), err: io.err.text() }
  }
  return { workers: join(root, 'workers'), run }
}

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name, description: 'A test.', input: {}, output: {}, requires: [], ...more })

const flowIndexOf = (flows: readonly object[]): string => {
  const common = {
    source: { type: 'rss', url: 'https://example.com/feed' },
    destination: { type: 'api', url: 'https://example.com/take' },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  return JSON.stringify({ flows: flows.map((flow) => ({ ...flow, ...common })) }, null, 2)
}

test('the user’s own wins over the built-in, and is not built twice', async () => {
  const { workers, run } = prepare({
    'ACTIONS/A_SUMMARIZE/action.json': manifest('A_SUMMARIZE'),
    'ACTIONS/A_SUMMARIZE/action.ts': `import { StewardError } from '@steward/contract'
export const execute = () => { throw new StewardError('not_configured', { subject: 'mine' }) }`,
  })
  const first = await run('--only', 'A_SUMMARIZE', 'A_SCORE_SUMMARY', '--json')
  expect({ code: first.code, ...JSON.parse(first.out) }).toMatchObject({
    code: EXIT.success,
    out: workers,
    workers: [
      { name: 'A_SCORE_SUMMARY', worker: 'exec-a-score-summary', status: 'built' },
      { name: 'A_SUMMARIZE', worker: 'exec-a-summarize', status: 'built' },
    ],
  })
  expect(first.err).toContain('[2/2] A_SUMMARIZE built')
  expect(readFileSync(join(workers, 'a-summarize', 'index.js'), 'utf8')).toContain(
    'subject: "mine"',
  )
  const again = await run('--only', 'A_SUMMARIZE', 'A_SCORE_SUMMARY')
  expect(again.out).toContain(`0 built, 2 unchanged in ${workers}`)
})

test('all mistakes are listed on stderr with a failing exit code, and nothing is written', async () => {
  const { workers, run } = prepare({
    'ACTIONS/A_HALF_DONE/action.json': '{"name": "A_HALF_DONE"',
    'ACTIONS/A_NO_CODE/action.json': manifest('A_NO_CODE'),
    'ACTIONS/A_WRONG_NAME/action.json': manifest('A_OTHER_NAME'),
    'PIPELINES/P_LOOSE_END.yaml':
      'name: P_LOOSE_END\ndescription: x\nactions:\n  - A_SUMMARIZE\n  - A_SCORE_SUMARY\n',
    'PIPELINES/P_HALF_DONE.yaml': 'name: P_HALF_DONE\ndescription: x\nactions: [A_HALF_DONE]\n',
    'FLOWS/flow-index.json': flowIndexOf([
      { id: 'gone', name: 'F_NO_PIPELINE', pipeline: 'P_REFINE_SUMARY' },
      { id: 'loose', name: 'F_LOOSE_END', pipeline: 'P_LOOSE_END' },
      {
        id: 'loop',
        name: 'F_LOOP_FOREVER',
        pipeline: 'P_REFINE_SUMMARY',
        loop: { field: 'quality_score', op: 'gte', value: 80, maxIterations: 5 },
      },
    ]),
  })
  const { code, out, err } = await run('--json')
  expect(code).toBe(EXIT.usage)
  expect(JSON.parse(out)).toMatchObject({ success: false, mistakes: { length: 6 } })
  expect(err).toMatch(/A_HALF_DONE: .*not valid JSON/)
  expect(err).toMatch(/A_NO_CODE: .*the implementation is missing/)
  expect(err).toMatch(/A_WRONG_NAME: .*line 1: name: A_OTHER_NAME differs from the folder/)
  expect(err).toMatch(
    /^P_LOOSE_END: .*P_LOOSE_END\.yaml.*line 5: actions\[1\]: A_SCORE_SUMARY does not exist \(did you mean A_SCORE_SUMMARY\?\)/m,
  )
  expect(err).toMatch(
    /^F_NO_PIPELINE: .*flow-index\.json.*line 6: pipeline: P_REFINE_SUMARY does not exist \(did you mean P_REFINE_SUMMARY\?\)/m,
  )
  expect(err).toMatch(
    /^F_LOOP_FOREVER: .*flow-index\.json.*line \d+: loop\.field: no action of the pipeline declares quality_score/m,
  )
  expect(err).toContain('6 mistakes above; nothing was written')
  expect(existsSync(workers)).toBe(false)
})

test('an action without execute is refused, also if it exports something else', async () => {
  const { workers, run } = prepare({
    'ACTIONS/A_LACK_EXECUTE/action.json': manifest('A_LACK_EXECUTE'),
    'ACTIONS/A_LACK_EXECUTE/action.ts': 'export const run = () => ({})',
    'ACTIONS/A_PASS_ON/action.json': manifest('A_PASS_ON'),
    'ACTIONS/A_PASS_ON/action.ts': "export * from './other.ts'",
    'ACTIONS/A_PASS_ON/other.ts': 'export const execute = () => ({})',
  })
  const bad = await run('--only', 'A_LACK_EXECUTE')
  expect(bad.code).toBe(EXIT.usage)
  expect(bad.err).toContain(
    'A_LACK_EXECUTE: action.ts exports run; export a function named execute',
  )
  expect(existsSync(join(workers, 'a-lack-execute'))).toBe(false)
  expect((await run('--only', 'A_PASS_ON')).code).toBe(EXIT.success)
})

test('a loop gate on an undeclared field is refused', async () => {
  const { run } = prepare({
    'FLOWS/flow-index.json': flowIndexOf([
      {
        id: 'loop',
        name: 'F_LOOP_FOREVER',
        pipeline: 'P_REFINE_SUMMARY',
        loop: { field: 'quality_score', op: 'gte', value: 80, maxIterations: 5 },
      },
    ]),
  })
  const { code, err } = await run('--only', 'F_LOOP_FOREVER')
  expect(code).toBe(EXIT.usage)
  expect(err).toMatch(
    /F_LOOP_FOREVER: .*loop\.field: no action of the pipeline declares quality_score .*did you mean qualityScore/,
  )
})
