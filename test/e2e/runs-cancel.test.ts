import { spawn } from 'node:child_process'
import { EXIT, RUN_STATUSES, runRecord } from '@steward/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { startDaemonProcess } from './daemon-process.ts'
import { clientOf } from './dashboard/play-day.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const WAIT = `export const execute = (_, { signal, log }) => new Promise((_resolve, reject) => {
  log('waiting')
  const kept = setInterval(() => undefined, 60_000)
  signal.addEventListener('abort', () => { clearInterval(kept); reject(signal.reason) })
})`

let cli: Cli
beforeEach(() => {
  cli = createCli()
  writeAction(cli, 'A_WAIT_LONG', WAIT)
  writeAction(cli, 'A_SAY_HI', 'export const execute = () => ({ hi: true })')
})
afterEach(() => cli.remove())

const cancelled = z.object({ id: z.string(), status: z.enum(RUN_STATUSES) })
const listRuns = async () => z.array(runRecord).parse(await cli.json(['runs', '--json']))
const cancel = async (id: string) => {
  const { code, stdout, stderr } = await cli.run(['runs', 'cancel', id, '--json'])
  return { code, stderr, answer: stdout === '' ? undefined : cancelled.parse(JSON.parse(stdout)) }
}

/** A run in a terminal that ^C interrupts while its action waits. */
const leaveInterrupted = async (): Promise<void> => {
  const child = spawn(process.execPath, [PACKED_LAUNCHER, 'run', 'A_WAIT_LONG', '--local', '{}'], {
    env: { ...process.env, STEWARD_HOME: cli.home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
    if (/waiting/.test(said)) child.kill('SIGINT')
  })
  await new Promise((resolve) => child.on('close', resolve))
}

it('abandons an interrupted run, so that resuming all runs leaves it alone', async () => {
  await leaveInterrupted()
  const [interrupted] = await listRuns()
  if (interrupted === undefined) throw new Error('no run')
  expect(interrupted).toMatchObject({ name: 'A_WAIT_LONG', status: 'interrupted' })
  const shown = await cli.run(['runs', 'cancel', interrupted.id.slice(-8)])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toContain(interrupted.id)
  expect(await listRuns()).toMatchObject([{ id: interrupted.id, status: 'cancelled' }])
  expect(await cli.run(['runs', 'resume'])).toMatchObject({ code: 0 })
  expect(await listRuns()).toMatchObject([{ id: interrupted.id, status: 'cancelled' }])
})

it('exits 1 if the run already finished, and 3 if there is no such run', async () => {
  await cli.json(['run', 'A_SAY_HI', '--local', '{}'])
  const { code, answer } = await cancel('last')
  expect([code, answer?.status]).toEqual([EXIT.failed, 'completed'])
  expect(await listRuns()).toMatchObject([{ name: 'A_SAY_HI', status: 'completed' }])
  expect(await cancel('nosuchrun')).toMatchObject({
    code: EXIT.notFound,
    stderr: expect.stringContaining('nosuchrun'),
  })
})

it('cancels a run of the daemon', async () => {
  const daemon = await startDaemonProcess(cli)
  try {
    const { id } = await clientOf(daemon).call('startRun', { body: { name: 'A_WAIT_LONG' } })
    await expect.poll(listRuns).toMatchObject([{ id, status: 'running' }])
    expect(await cancel(id)).toEqual({ code: 0, stderr: '', answer: { id, status: 'cancelled' } })
    expect(await listRuns()).toMatchObject([{ id, status: 'cancelled' }])
  } finally {
    await daemon.kill()
  }
})
