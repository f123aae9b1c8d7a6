import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { clientOf } from './dashboard/play-day.ts'

/** A stop takes at most 6 seconds; the rest is for a busy machine. */
const LIMIT_MS = 12_000

let cli: Cli
let daemon: DaemonProcess | undefined
const sockets: Socket[] = []
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await daemon?.kill()
  cli.remove()
})

const stop = async (running: DaemonProcess): Promise<{ code: number | null; tookMs: number }> => {
  const startedAt = performance.now()
  const code = await running.stop()
  return { code, tookMs: performance.now() - startedAt }
}

/** Processes with the path of the data home among their arguments. */
const processesOf = (home: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return command.includes(home) ? [command] : []
      } catch {
        return []
      }
    })

it('SIGTERM ends a daemon with half a request and an open stream', async () => {
  daemon = await startDaemonProcess(cli)
  const { address, port } = daemon
  const half = connect(port, '127.0.0.1')
  sockets.push(half)
  half.on('error', () => undefined)
  const head = `POST /api/knowledge HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n`
  await new Promise<void>((sent) =>
    half.write(`${head}content-length: 1000\r\n\r\n{"dom`, () => sent()),
  )
  const stream = await fetch(`${address}/api/events/stream`)
  expect(stream.status).toBe(200)
  const { code, tookMs } = await stop(daemon)
  expect(code).toBe(0)
  expect(tookMs).toBeLessThan(LIMIT_MS)
  await stream.body?.cancel().catch(() => undefined)
})

it('SIGTERM ends a daemon with actions that loop or wait endlessly, and their processes', async () => {
  writeAction(cli, 'A_LOOP_ON', 'export const execute = async () => { while (true) {} }')
  writeAction(cli, 'A_WAIT_ON', 'export const execute = () => new Promise(() => undefined)')
  daemon = await startDaemonProcess(cli)
  const client = clientOf(daemon)
  const started = [
    await client.call('startRun', { body: { name: 'A_LOOP_ON' } }),
    await client.call('startRun', { body: { name: 'A_WAIT_ON' } }),
  ]
  for (const { id } of started) {
    const steps = async () => (await client.call('getRun', { params: { id } })).steps.length
    await expect.poll(steps, { timeout: 60_000 }).toBe(1)
  }
  const { code, tookMs } = await stop(daemon)
  expect(code).toBe(0)
  expect(tookMs).toBeLessThan(LIMIT_MS)
  await expect.poll(() => processesOf(cli.home), { timeout: 10_000 }).toEqual([])
  const listed = await cli.json(['runs', '--json'])
  expect(listed).toMatchObject([{ status: 'interrupted' }, { status: 'interrupted' }])
})

it('SIGTERM ends a daemon with a module that never gets an answer from the disk', async () => {
  const preload = join(cli.files, 'hang.mjs')
  // As on a disconnected network drive: every access to the assistant's files hangs.
  writeFileSync(
    preload,
    `import fs from 'node:fs'
     import { syncBuiltinESMExports } from 'node:module'
     for (const name of ['readdir', 'stat', 'lstat', 'readFile', 'open', 'mkdir', 'access']) {
       const real = fs.promises[name]
       fs.promises[name] = (path, ...rest) =>
         String(path).includes('USER/ASSISTANT') ? new Promise(() => undefined) : real(path, ...rest)
     }
     syncBuiltinESMExports()`,
  )
  daemon = await startDaemonProcess(cli, { env: { NODE_OPTIONS: `--import=${preload}` } })
  expect((await daemon.health()).reasons).toContainEqual(expect.stringContaining('assistant'))
  const call = daemon.fetch('/assistant/tasks').catch(() => undefined)
  const { code, tookMs } = await stop(daemon)
  expect([0, 143]).toContain(code)
  expect(tookMs).toBeLessThan(LIMIT_MS)
  await call
})
