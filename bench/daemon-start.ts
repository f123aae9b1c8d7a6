import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePorts } from '@steward/platform/testing'
import { startDaemonProcess } from './daemon/daemon-process.ts'
import { writeLargeHome } from './daemon/large-home.ts'
import { median } from './daemon/median.ts'

type Print = (line: string) => void

const ROUNDS = 7
const LOGS_MB = 400
const SETTLED_MS = 20_000
const CONNECTIONS = 16
const POLL_MS = 2
const RATE_MS = 2000
const RATE_ROUNDS = 3
const BARE_SERVER = `require('node:http').createServer((_, r) => r.end('{}')).listen(0)`

/** Starting the daemon: time to the first answer, memory afterwards, and what `/health` costs. */
export const benchDaemonStart = async (print: Print): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  const empty = join(directory, 'empty')
  const large = join(directory, 'large')
  try {
    mkdirSync(empty)
    await benchFirstAnswer(empty, print)
    await benchRates(empty, print)
    await writeLargeHome(large, LOGS_MB)
    await benchMemory(empty, large, print)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const benchFirstAnswer = async (home: string, print: Print): Promise<void> => {
  const bare: number[] = []
  const first: number[] = []
  // The first pair fills the compile cache.
  for (let round = 0; round <= ROUNDS; round++) {
    const bareMs = await timed(async () => {
      await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
    })
    const { ms, stop } = await startAndAsk(home)
    await stop()
    if (round === 0) continue
    bare.push(bareMs)
    first.push(ms)
  }
  report(print, 'spawn to first /api/events/recent', median(first), 'node -e 0', median(bare), 'ms')
}

/**
 * Polls until the port is open, because requests are answered before the daemon reports that it is
 * up.
 */
const startAndAsk = async (home: string): Promise<{ ms: number; stop: () => Promise<void> }> => {
  const port = await findFreePorts(1)
  const startedAt = performance.now()
  const up = startDaemonProcess(home, port)
  const body = await askUntilAnswered(`http://127.0.0.1:${port}/api/events/recent`)
  const ms = performance.now() - startedAt
  const { stop } = await up
  if (typeof body === 'object' && body !== null && 'events' in body) return { ms, stop }
  await stop()
  throw new Error('the first answer is not correct')
}

const askUntilAnswered = async (url: string): Promise<unknown> => {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer !== undefined) return answer.json()
    await sleep(POLL_MS)
  }
}

const benchRates = async (home: string, print: Print): Promise<void> => {
  const { address, stop } = await startDaemonProcess(home)
  try {
    const health: number[] = []
    const recent: number[] = []
    // The first pair warms up the compiler.
    for (let round = 0; round <= RATE_ROUNDS; round++) {
      const healths = await countAnswers(`${address}/health`)
      const recents = await countAnswers(`${address}/api/events/recent`)
      if (round === 0) continue
      health.push(healths)
      recent.push(recents)
    }
    report(print, 'GET /health', median(health), 'GET /api/events/recent', median(recent), '/s')
  } finally {
    await stop()
  }
}

/** Answers per second over keep-alive connections. */
const countAnswers = async (url: string): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const startedAt = performance.now()
  let answers = 0
  const ask = async (): Promise<void> => {
    while (performance.now() - startedAt < RATE_MS) {
      await askOnce(url, agent)
      answers++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  const seconds = (performance.now() - startedAt) / 1000
  agent.destroy()
  return answers / seconds
}

const askOnce = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume()
      response.once('end', resolve)
    }).once('error', reject)
  })

const benchMemory = async (empty: string, large: string, print: Print): Promise<void> => {
  const bare = spawn(process.execPath, ['-e', BARE_SERVER], { stdio: 'ignore' })
  const few = await startDaemonProcess(empty)
  const many = await startDaemonProcess(large)
  try {
    await sleep(SETTLED_MS)
    const bareMb = residentMb(pidOf(bare))
    const fewMb = residentMb(few.pid)
    const manyMb = residentMb(many.pid)
    report(print, 'resident, empty home', fewMb, 'bare HTTP server', bareMb, 'MB')
    report(print, `resident, ${LOGS_MB} MB of logs`, manyMb, 'empty home', fewMb, 'MB')
  } finally {
    bare.kill()
    await Promise.all([few.stop(), many.stop()])
  }
}

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('the process did not start')
  return pid
}

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const timed = async (work: () => Promise<void>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const report = (
  print: Print,
  label: string,
  value: number,
  baseLabel: string,
  base: number,
  unit: string,
): void => {
  const numbers = `${value.toFixed(0)} ${unit}, ${baseLabel} ${base.toFixed(0)} ${unit}`
  print(`  ${label.padEnd(36)}${numbers.padEnd(48)}${(value / base).toFixed(2)}x`)
}

if (import.meta.main) await benchDaemonStart(console.log)
