import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { clientOf } from './dashboard/play-day.ts'

const SECRET = 'content-of-another-home'
/** Measures how long the daemon computes without answering, in processor time. */
const PROBE = join(import.meta.dirname, '../chaos/tick-probe.mjs')
/** Ten times what a quiet daemon may compute at once, as in `npm run chaos`. */
const LONGEST_PAUSE_MS = 200
let cli: Cli
let other: Cli
let daemon: DaemonProcess | undefined

beforeEach(() => {
  cli = createCli()
  other = createCli()
  other.write('secret.txt', SECRET)
  const write = (name: string, code: string, manifest = {}) =>
    writeAction(
      cli,
      name,
      `import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
export const execute = async (input, context) => { ${code} }`,
      manifest,
    )
  write('A_SAY_HI', "console.log('hello'); console.warn('careful'); return { hi: true }")
  write('A_LOOP_ON', 'while (true) {}')
  write('A_LOOP_SHORT', 'while (true) {}', { timeoutMs: 1500 })
  write('A_EXIT_NOW', 'process.exit(0)')
  write('A_REJECT_LATER', "Promise.reject(new Error('floating')); await new Promise(() => {})")
  write(
    'A_TAKE_MEMORY',
    'const kept = []; while (kept.length < 40) kept.push(Buffer.alloc(1e8, 1)); return { taken: true }',
  )
  write('A_FILL_HEAP', 'const kept = []; while (true) kept.push(new Array(1e6).fill(kept.length))')
  write('A_RETURN_MUCH', "return { text: 'x'.repeat(1e8) }")
  write(
    'A_FORK_MUCH',
    "for (let n = 0; n < 1000; n++) spawn('sleep', ['60']); return { forked: true }",
  )
  write('A_READ_TOKEN', "return { token: readFileSync(input.home + '/token', 'utf8') }")
  write(
    'A_READ_ENV',
    "if (Object.keys(process.env).length === 0) throw new Error('the environment is empty'); return { ...process.env }",
  )
  write(
    'A_REACH_DAEMON',
    "return { health: await (await fetch(input.address + '/health')).text() }",
  )
  write('A_READ_OTHER', "return { text: readFileSync(input.other + '/secret.txt', 'utf8') }")
  write('A_KILL_DAEMON', "process.kill(input.pid, 'SIGKILL'); return { killed: true }")
  writeAction(
    cli,
    'A_HANG_LOADING',
    'await new Promise(() => {})\nexport const execute = () => ({})',
    {
      timeoutMs: 1500,
    },
  )
})
afterEach(async () => {
  await daemon?.kill()
  cli.remove()
  other.remove()
})

/** Each hostile action with the code and message that its run ends with. */
const HOSTILE: Record<string, [code: string, message: RegExp]> = {
  A_LOOP_SHORT: ['timeout', /took longer than 1500 ms/],
  A_HANG_LOADING: ['timeout', /took longer than 1500 ms/],
  A_EXIT_NOW: ['action_crashed', /exited with code 0/],
  A_REJECT_LATER: ['action_crashed', /unhandled rejection: floating/],
  A_TAKE_MEMORY: ['action_failed', /allocat/i],
  A_FILL_HEAP: ['action_memory', /more memory than its limit/],
  A_RETURN_MUCH: ['payload_too_large', /the output of A_RETURN_MUCH is/],
  A_FORK_MUCH: ['action_failed', /restricted/],
  A_READ_TOKEN: ['action_failed', /restricted/],
  A_READ_ENV: ['action_failed', /the environment is empty/],
  A_REACH_DAEMON: ['capability_missing', /used fetch/],
  A_READ_OTHER: ['action_failed', /restricted/],
  A_KILL_DAEMON: ['action_failed', /cannot send signals/],
}

it('hostile actions fail alone beside good ones, and the daemon answers throughout', async () => {
  const ticks = join(cli.files, 'ticks')
  const env = { NODE_OPTIONS: `--import=${PROBE}`, CHAOS_TICK_FILE: ticks }
  daemon = await startDaemonProcess(cli, { env })
  const { pid, address, health, token } = daemon
  const readTicks = () =>
    existsSync(ticks) ? readFileSync(ticks, 'utf8').split('\n').slice(0, -1).map(Number) : []
  /** The longest pause since the last call. */
  const longestPause = async () => {
    const before = readTicks().length
    process.kill(pid, 'SIGUSR2')
    await expect.poll(() => readTicks().length, { timeout: 60_000 }).toBe(before + 1)
    return readTicks().at(-1)
  }
  const client = clientOf(daemon)
  const input = { home: cli.home, other: other.home, address, pid }
  const start = async (name: string) =>
    (await client.call('startRun', { body: { name, input } })).id
  const read = (id: string) => client.call('getRun', { params: { id } })
  const isOver = async (id: string) => {
    expect(await health()).toMatchObject({ pid })
    return (await read(id)).status !== 'running'
  }
  const until = (id: string) => expect.poll(() => isOver(id), { timeout: 120_000 }).toBe(true)

  await longestPause()
  const looping = await start('A_LOOP_ON')
  const hostile: Array<[string, string]> = []
  const good: string[] = []
  for (const name of Object.keys(HOSTILE)) {
    hostile.push([name, await start(name)])
    if (hostile.length % 4 === 0) good.push(await start('A_SAY_HI'))
  }
  for (const id of good) {
    await until(id)
    expect(await read(id)).toMatchObject({ status: 'completed', output: { hi: true } })
  }
  for (const [name, id] of hostile) {
    await until(id)
    const [code, message] = HOSTILE[name] ?? []
    expect(await read(id)).toMatchObject({
      name,
      status: 'failed',
      error: { code, message: expect.stringMatching(message ?? '') },
      steps: [{ isolation: 'bubblewrap' }],
    })
    const record = JSON.stringify(await read(id))
    expect(record).not.toContain(SECRET)
    expect(record).not.toContain(token())
  }
  expect(await longestPause()).toBeLessThan(LONGEST_PAUSE_MS)
  // The one without a time limit of its own ran all the while.
  expect(await read(looping)).toMatchObject({ status: 'running' })
  expect(await cli.run(['runs', 'cancel', looping])).toMatchObject({ code: 0 })
  expect(await read(looping)).toMatchObject({ status: 'cancelled' })
}, 300_000)

it('the record has what an action printed and where it threw', async () => {
  writeAction(
    cli,
    'A_FAIL_LATE',
    "export const execute = () => {\n  console.log('first')\n  console.error('second')\n  throw new TypeError('no such thing')\n}",
  )
  const failed = await cli.run(['run', 'A_FAIL_LATE', '--local', '{}'])
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toContain('first')
  const shown = await cli.run(['runs', 'show', 'last'])
  expect(shown.stdout).toMatch(/at execute \(action\.mjs:4:9\)/)
  expect(shown.stdout).toMatch(/info first/)
  expect(shown.stdout).toMatch(/error second/)
  const json = JSON.parse((await cli.run(['runs', 'show', 'last', '--full', '--json'])).stdout)
  expect(json.steps[0]).toMatchObject({
    error: { stack: 'TypeError: no such thing\n    at execute (action.mjs:4:9)' },
    logs: [
      { level: 'info', text: 'first' },
      { level: 'error', text: 'second' },
    ],
  })
})

it('a loop on the command line ends at its time, with the exit code of a failed run', async () => {
  const failed = await cli.run(['run', 'A_LOOP_SHORT', '--local', '{}'])
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('took longer than 1500'),
  })
  const exited = await cli.run(['run', 'A_EXIT_NOW', '--local', '{}'])
  expect(exited).toMatchObject({ code: 1, stderr: expect.stringContaining('exited with code 0') })
})

it('list and doctor read manifests only, whatever the code would do', async () => {
  writeAction(
    cli,
    'A_HANG_LOADING',
    'await new Promise(() => {}); export const execute = () => ({})',
  )
  writeAction(cli, 'A_EXIT_LOADING', 'process.exit(0)')
  const listed = await cli.run(['list', '--json'])
  expect(listed.code).toBe(0)
  expect(listed.stdout).toContain('A_HANG_LOADING')
  expect(listed.stdout).toContain('A_EXIT_LOADING')
  expect((await cli.run(['doctor', '--json'])).stdout).toContain('"check"')
})
