import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { startDaemonProcess } from './daemon-process.ts'

/** Tests the built-in supervisor with real processes that are killed, restarted and stopped. */
const BUILT_IN = ['--supervisor', 'built-in', '--json']
const ENV = { STEWARD_PORT: '0' }

let cli: Cli
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await cli.run(['service', 'stop', ...BUILT_IN])
  cli.remove()
})

const started = z.object({ address: z.string(), done: z.string() })
const status = z.looseObject({
  running: z.boolean(),
  pid: z.int().nullable(),
  restarts: z.int().nullable(),
  health: z.looseObject({ pid: z.int() }).optional(),
})
const supervisorState = z.object({ supervisorPid: z.int(), pid: z.int().nullable() })

const start = async () =>
  started.parse(await cli.json(['service', 'start', ...BUILT_IN], { env: ENV }))
const ask = async () => {
  const { stdout } = await cli.run(['service', 'status', ...BUILT_IN])
  return status.parse(JSON.parse(stdout))
}
const readState = () =>
  supervisorState.parse(
    JSON.parse(readFileSync(join(cli.home, 'state', 'supervisor.json'), 'utf8')),
  )
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await holds())) await wait(50)
}

it('restarts the daemon after a kill, at an address that answers, and stops it gracefully', async () => {
  const { address } = await start()
  expect((await fetch(`${address}/health`)).status).toBe(200)
  const before = await ask()
  expect(before).toMatchObject({ running: true, restarts: 0 })
  expect(before.health?.pid).toBe(before.pid)

  process.kill(before.pid ?? 0, 'SIGKILL')
  // Reading the file is cheaper than running a command.
  await until(() => ![null, before.pid].includes(readState().pid))
  await until(async () => {
    const now = await ask()
    return now.health !== undefined && now.pid !== before.pid
  })
  expect(await ask()).toMatchObject({ running: true, restarts: 1 })

  const { pid, supervisorPid } = readState()
  expect(await cli.json(['service', 'stop', ...BUILT_IN])).toMatchObject({ done: 'stopped' })
  expect(isAlive(pid ?? 0)).toBe(false)
  await until(() => !isAlive(supervisorPid))
  const after = await cli.run(['service', 'status', ...BUILT_IN])
  expect(after.code).toBe(1)
  const log = readFileSync(join(cli.home, 'state', 'daemon.log'), 'utf8')
  expect(log).toContain('the daemon exited (SIGKILL); restarting in 1 s')
  expect(log).toMatch(/info stopped\n.*supervisor stopped\n$/)
})

it('ends the daemon if the supervisor itself is killed', async () => {
  await start()
  const { supervisorPid, pid } = readState()
  process.kill(supervisorPid, 'SIGKILL')
  await until(() => !isAlive(pid ?? 0))
  const { address } = await start()
  expect((await fetch(`${address}/health`)).status).toBe(200)
})

it('restarts with another process, and starts only one', async () => {
  await start()
  const before = readState()
  await cli.json(['service', 'restart', ...BUILT_IN])
  const after = readState()
  expect(after.supervisorPid).toBe(before.supervisorPid)
  expect(after.pid).not.toBe(before.pid)
  expect(await cli.json(['service', 'start', ...BUILT_IN])).toMatchObject({
    done: 'it is running already',
  })
  const logs = await cli.run(['service', 'logs', '-n', '3', '--supervisor', 'built-in'])
  expect(logs.stdout).toContain('listening on')
})

it.each(['install', 'start', 'restart'])(
  '%s takes over from a daemon that was started manually',
  async (command) => {
    const byHand = await startDaemonProcess(cli)
    expect(await ask()).toMatchObject({ running: true, supervised: false })
    const taken = started.parse(await cli.json(['service', command, ...BUILT_IN], { env: ENV }))
    expect(taken.done).toContain(`pid ${byHand.pid}`)
    expect(await byHand.exited).toBe(0)
    const { pid } = readState()
    const after = await ask()
    expect(after).toMatchObject({ running: true, supervised: true, pid, restarts: 0 })
    expect(after.health?.pid).toBe(pid)
    const log = readFileSync(join(cli.home, 'state', 'daemon.log'), 'utf8')
    expect(log).not.toContain('a daemon already runs')
  },
)

it('also stops a daemon that was started manually, and then reports that none runs', async () => {
  const byHand = await startDaemonProcess(cli)
  expect(await cli.json(['service', 'stop', ...BUILT_IN])).toMatchObject({
    done: expect.stringContaining(`pid ${byHand.pid}`),
  })
  expect(await byHand.exited).toBe(0)
  expect(await ask()).toMatchObject({ running: false })
  expect(await cli.json(['service', 'stop', ...BUILT_IN])).toMatchObject({
    done: 'it is not running',
  })
})

it('refuses if a daemon of another data home uses the port, and does not retry', async () => {
  const other = createCli()
  onTestFinished(other.remove)
  const daemon = await startDaemonProcess(other)
  const { code, stderr, stdout } = await cli.run(['service', 'install', ...BUILT_IN], {
    env: { STEWARD_PORT: String(daemon.port) },
  })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`port ${daemon.port} is taken: another Steward daemon listens there`)
  expect(await ask()).toMatchObject({
    running: false,
    refused: expect.stringContaining('another Steward daemon'),
  })
  const log = readFileSync(join(cli.home, 'state', 'daemon.log'), 'utf8')
  expect(log).not.toContain('restarting in')
  expect(log).toContain('is not restarted')
  expect((await daemon.fetch('/health')).status).toBe(200)
  await daemon.stop()
})

it('keeps retrying if settings are unreadable, and logs the reason', async () => {
  cli.write('settings.json', '{"observability": {"server": {"port": "x"}}}')
  const begun = cli.run(['service', 'start', ...BUILT_IN])
  const log = join(cli.home, 'state', 'daemon.log')
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('restarting in'))
  expect(readFileSync(log, 'utf8')).toMatch(/settings\.json: line 1: observability\.server\.port/)
  cli.write('settings.json', '{"observability": {"server": {"port": 0}}}')
  expect((await begun).code).toBe(0)
})
