import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { clientOf } from './dashboard/play-day.ts'

let cli: Cli
let daemon: DaemonProcess | undefined

beforeEach(() => {
  cli = createCli()
  const write = (name: string, code: string, manifest = {}) =>
    writeAction(cli, name, `export const execute = async () => { ${code} }`, manifest)
  write('A_LOOP_ON', 'while (true) {}')
  write('A_LOOP_SHORT', 'while (true) {}', { timeoutMs: 1500 })
  write('A_EXIT_NOW', 'process.exit(0)')
  write('A_REJECT_LATER', "Promise.reject(new Error('floating')); await new Promise(() => {})")
  write('A_SAY_HI', 'return { hi: true }')
})
afterEach(async () => {
  await daemon?.kill()
  cli.remove()
})

it('actions that loop, exit or reject fail alone, and the daemon answers meanwhile', async () => {
  daemon = await startDaemonProcess(cli)
  const client = clientOf(daemon)
  const { pid } = daemon
  const start = async (name: string) => (await client.call('startRun', { body: { name } })).id
  const looping = await start('A_LOOP_ON')
  const codeOf = async (id: string) => {
    const { status, error } = await client.call('getRun', { params: { id } })
    return error?.code ?? status
  }
  const expected = {
    A_LOOP_SHORT: 'timeout',
    A_EXIT_NOW: 'action_crashed',
    A_REJECT_LATER: 'action_crashed',
    A_SAY_HI: 'completed',
  }
  for (const [name, code] of Object.entries(expected)) {
    const id = await start(name)
    await expect.poll(() => codeOf(id), { timeout: 30_000 }).toBe(code)
    expect(await daemon.health()).toMatchObject({ pid })
  }
  expect(await codeOf(looping)).toBe('running')
  expect(await cli.run(['runs', 'cancel', looping])).toMatchObject({ code: 0 })
  expect(await codeOf(looping)).toBe('run_cancelled')
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
