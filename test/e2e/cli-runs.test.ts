import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runDetail, runRecord } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

let cli: Cli
beforeAll(() => {
  cli = createCli()
  writeAction(cli, 'A_ADD_ONE', 'export const execute = ({ n }) => ({ n: n + 1 })', {
    input: { n: { type: 'integer', required: true } },
    output: { n: { type: 'integer' } },
  })
  // Fails until its file exists.
  writeAction(
    cli,
    'A_NEED_FLAG',
    `export const execute = async ({ flag }, { capabilities }) => {
  const isThere = await capabilities.readFile(flag).then(() => true, () => false)
  if (!isThere) throw new Error('the flag is not there')
  return { found: true }
}`,
    { requires: ['readFile'] },
  )
  writeAction(
    cli,
    'A_WAIT_LONG',
    'export const execute = (_, { signal, log }) => new Promise((resolve, reject) => { log("waiting"); const t = setTimeout(resolve, 60000, {}); signal.addEventListener("abort", () => { clearTimeout(t); reject(signal.reason) }) })',
  )
  cli.write(
    'USER/PIPELINES/P_ADD_FLAG.yaml',
    'name: P_ADD_FLAG\ndescription: x\nactions: [A_ADD_ONE, A_NEED_FLAG, A_ADD_ONE]\n',
  )
})
afterAll(() => cli.remove())

const listRuns = async (...args: string[]) =>
  z.array(runRecord).parse(await cli.json(['runs', '--json', ...args]))

describe('steward runs', () => {
  it('shows the failure, resumes the run, and reruns from a step', async () => {
    const flag = join(cli.files, 'flag')
    const failed = await cli.run([
      'run',
      'P_ADD_FLAG',
      '--local',
      '--json',
      JSON.stringify({ n: 1, flag }),
    ])
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.stdout)).toMatchObject({ success: false, failed_stage: 'A_NEED_FLAG' })
    expect(failed.stderr).toMatch(/A_NEED_FLAG failed: the flag is not there/)
    const [run] = await listRuns('--status', 'failed', '--name', 'P_ADD_FLAG')
    if (run === undefined) throw new Error('no failed run')

    const detail = runDetail.parse(await cli.json(['runs', 'show', run.id.slice(0, 20), '--json']))
    expect(
      detail.steps.map(({ status, input, output }) => ({ status, n: input?.n, out: output?.n })),
    ).toEqual([
      { status: 'completed', n: 1, out: 2 },
      { status: 'failed', n: 2, out: undefined },
    ])
    const shown = await cli.run(['runs', 'show', run.id])
    expect(shown.stdout).toMatch(/P_ADD_FLAG failed/)
    expect(shown.stdout).toMatch(/2\. A_NEED_FLAG failed/)

    cli.write('flag', '')
    expect(await cli.json(['runs', 'resume', run.id])).toMatchObject({ n: 3, found: true })
    expect(await cli.json(['rerun', run.id, '--from', '3'])).toMatchObject({ n: 3 })
    expect(await cli.json(['rerun', run.id, '--from', 'A_NEED_FLAG', '--original'])).toMatchObject({
      n: 3,
    })
    const wrong = await cli.run(['rerun', run.id, '--from', 'A_OTHER'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(/1 A_ADD_ONE, 2 A_NEED_FLAG, 3 A_ADD_ONE/)
  })

  it('exits 3 for an unknown run', async () => {
    expect(await cli.run(['runs', 'show', 'ffffffff'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/run not found: ffffffff/),
    })
  })

  it('prunes according to the settings', async () => {
    cli.write('settings.json', JSON.stringify({ execution: { history: { maxRuns: 2 } } }))
    expect(await cli.json(['runs', 'prune', '--json'])).toMatchObject({ runs: expect.any(Number) })
    expect(await listRuns()).toHaveLength(2)
  })
})

describe('^C', () => {
  it('leaves the run resumable, explains how, and exits 130', async () => {
    const child = spawn(
      process.execPath,
      [PACKED_LAUNCHER, 'run', 'A_WAIT_LONG', '--local', '{}'],
      {
        env: { ...process.env, STEWARD_HOME: cli.home },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
      if (/waiting/.test(stderr)) child.kill('SIGINT')
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(130)
    expect(stderr).toMatch(/(?<!npx )steward runs resume [0-9a-f-]{36}/)
    expect(await listRuns('--status', 'interrupted')).toMatchObject([{ name: 'A_WAIT_LONG' }])
    writeAction(cli, 'A_WAIT_LONG', 'export const execute = () => ({ waited: true })')
    const resumed = await cli.run(['runs', 'resume'])
    expect(resumed.stdout).toBe('{"waited":true}\n')
    expect(await cli.run(['runs', 'resume'])).toMatchObject({ code: 0, stdout: '' })
  })
})

describe('steward new', () => {
  it('creates an action that runs and whose test passes', async () => {
    const made = await cli.run(['new', 'action', 'A_COUNT_LINES'])
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/(?<!npx )steward run A_COUNT_LINES --local/)
    expect(await cli.json(['run', 'A_COUNT_LINES', '--local', '--content', 'a b c'])).toEqual({
      content: 'a b c',
      word_count: 3,
    })
    const test = join(cli.home, 'USER/ACTIONS/A_COUNT_LINES/action.test.ts')
    const printed = made.stdout.split('\n').find((line) => line.includes('--test')) ?? ''
    expect(printed).toContain(test)
    // The system's Node may be too old, so the printed command names a suitable one.
    const env = { ...process.env, PATH: '/nowhere' }
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', printed], {
      encoding: 'utf8',
      env,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/pass 2/)
    const manifest: unknown = JSON.parse(readFileSync(join(test, '../action.json'), 'utf8'))
    const { $schema } = z.object({ $schema: z.string() }).parse(manifest)
    expect(existsSync(join(test, '..', $schema))).toBe(true)
  })

  it('creates types that match the code', () => {
    const root = join(import.meta.dirname, '../..')
    const types = join(root, 'node_modules/@types')
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        join(cli.home, 'USER'),
        '--typeRoots',
        types,
        '--types',
        'node',
      ],
      { encoding: 'utf8' },
    )
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })

  it('creates a pipeline and a flow that run', async () => {
    expect(
      await cli.run(['new', 'pipeline', 'P_COUNT_BOTH', '--actions', 'A_COUNT_LINES']),
    ).toMatchObject({ code: 0 })
    expect(
      await cli.run(['new', 'flow', 'F_NOTES_COUNT', '--pipeline', 'P_COUNT_BOTH']),
    ).toMatchObject({ code: 0 })
    expect(
      await cli.run(['new', 'flow', 'F_OTHER_COUNT', '--pipeline', 'P_COUNT_BOTH']),
    ).toMatchObject({ code: 0 })
    expect(await cli.json(['trigger', 'F_NOTES_COUNT', '--json'])).toMatchObject({
      success: true,
      outcome: 'delivered',
      items: { delivered: 1 },
    })
    expect(existsSync(join(cli.home, 'OUTPUT/notes-count.md'))).toBe(true)
  })

  it('overwrites nothing and suggests a valid name', async () => {
    for (const args of [
      ['action', 'A_COUNT_LINES'],
      ['pipeline', 'P_COUNT_BOTH', '--actions', 'A_COUNT_LINES'],
      ['flow', 'F_NOTES_COUNT', '--pipeline', 'P_COUNT_BOTH'],
    ]) {
      expect(await cli.run(['new', ...args])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/nothing is overwritten/),
      })
    }
    expect(await cli.run(['new', 'action', 'count-words'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/A_COUNT_WORDS/),
    })
  })
})

describe('steward trigger', () => {
  it('processes a webhook call from the command line if its signature is valid', async () => {
    const other = createCli()
    try {
      writeAction(other, 'A_ADD_ONE', 'export const execute = ({ n = 0 }) => ({ n: n + 1 })')
      other.write(
        'USER/PIPELINES/P_ADD.yaml',
        'name: P_ADD\ndescription: x\nactions: [A_ADD_ONE]\n',
      )
      const flow = {
        id: 'calls',
        name: 'F_CALLS_ADD',
        source: { type: 'webhook', secret: 'CALL_SECRET' },
        pipeline: 'P_ADD',
        destination: { type: 'file', path: 'calls.jsonl', format: 'jsonl' },
        schedule: { intervalMinutes: 60, enabled: false },
      }
      other.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
      const body = '[{"id": 1, "content": "called"}]'
      other.write('call.json', body)
      const signature = `sha256=${createHmac('sha256', 'hush').update(body).digest('hex')}`
      const call = (...args: string[]) =>
        other.run(['trigger', 'calls', '--json', ...args], { env: { CALL_SECRET: 'hush' } })
      expect(await call()).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/flow_disabled/),
      })
      expect(await call('--force')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/webhook/),
      })
      const signed = ['--force', '--body', '@call.json', '--signature']
      expect(await call(...signed, 'sha256=00')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/signature_invalid/),
      })
      const done = await call(...signed, signature)
      expect(JSON.parse(done.stdout)).toMatchObject({
        outcome: 'delivered',
        items: { delivered: 1 },
      })
    } finally {
      other.remove()
    }
  })
})

describe('other commands', () => {
  it('lists names and completes them', async () => {
    const { stdout } = await cli.run(['list', '--names'])
    expect(stdout.split('\n')).toContain('A_SUMMARIZE')
    expect((await cli.run(['__complete', '--', 'run', 'A_SUMM'])).stdout).toBe('A_SUMMARIZE\n')
    expect((await cli.run(['__complete', '--', 'ru'])).stdout).toBe('run\nruns\n')
    expect((await cli.run(['__complete', '--', 'runs', 'show', '--j'])).stdout).toBe('--json\n')
    expect((await cli.run(['completion', 'bash'])).stdout).toMatch(/complete .* steward/)
  })

  it('shows a definition with its fields', async () => {
    const { stdout } = await cli.run(['list', 'A_ADD_ONE'])
    expect(stdout).toMatch(/n +integer +required/)
    expect(await cli.run(['list', 'A_ADD_ON'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/did you mean A_ADD_ONE/),
    })
  })

  it('runs its own diagnosis', async () => {
    const report = await cli.json(['doctor', '--json'])
    expect(report).toMatchObject({ healthy: true })
    cli.write('USER/PIPELINES/P_BROKEN.yaml', 'name: [')
    const { code, stdout } = await cli.run(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/fail +definitions +P_BROKEN/)
  })

  it('repairs problems where possible', async () => {
    const file = cli.write('USER/../.env', 'SOME_KEY=1\n')
    chmodSync(file, 0o644)
    expect((await cli.run(['doctor'])).stdout).toMatch(/warn +env file/)
    const fixed = await cli.run(['doctor', '--fix'])
    expect(fixed.stderr).toMatch(/env file: made it private/)
    expect(fixed.stdout).toMatch(/ok +env file/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('has help with examples everywhere', async () => {
    for (const args of [
      [],
      ['run'],
      ['list'],
      ['new'],
      ['runs'],
      ['rerun'],
      ['trigger'],
      ['feed', 'parse'],
      ['doctor'],
      ['completion'],
    ]) {
      const { code, stdout } = await cli.run([...args, '--help'])
      expect({ args, code }).toEqual({ args, code: 0 })
      expect(stdout).toMatch(/^Usage: steward/)
    }
  })
})
