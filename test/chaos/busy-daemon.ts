import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type API,
  createDaemonClient,
  type DaemonClient,
  type RouteAnswer,
  toStewardError,
} from '@steward/contract'
import { z } from 'zod'
import { createWorld, type World } from './world.ts'

const PROBE = join(import.meta.dirname, 'tick-probe.mjs')
const QUIET_CALLS = 200
const POLL_MS = 10
const LONGEST_WAIT_S = 300
/** Below this, differences are those of the machine. */
const SHORT_MS = 20
/** /health must stay within this factor of its quiet latency. */
const FACTOR = 10

const announced = z.object({ address: z.string(), pid: z.int() })

interface Measured {
  /** The longest time that the daemon computed without answering, in processor time. */
  busyMs: number
  health: { p50: number; max: number; calls: number }
  tookMs: number
}

/** A real daemon whose /health is called all the time while something else goes on. */
export interface BusyDaemon {
  world: World
  client: DaemonClient
  address: string
  pid: number
  measure: (work: () => Promise<unknown>) => Promise<Measured>
  /** Compares work with harmless work of the same size, prints the ratios, returns violations. */
  compare: (
    what: string,
    work: () => Promise<unknown>,
    harmless: () => Promise<unknown>,
  ) => Promise<string[]>
  /** Starts a run and waits for its end; the code of its error, or its status. */
  run: (name: string, input?: Record<string, unknown>) => Promise<string>
  close: () => Promise<void>
}

export const startBusyDaemon = async (prepare: (world: World) => void): Promise<BusyDaemon> => {
  const ticks = join(tmpdir(), `steward-ticks-${process.pid}-${performance.now()}`)
  const world = createWorld({ NODE_OPTIONS: `--import=${PROBE}`, CHAOS_TICK_FILE: ticks })
  prepare(world)
  const started = await world.start(['daemon', '--port', '0', '--json'])
  const { address, pid } = announced.parse(started.announced)
  const client = createDaemonClient({ base: address, fetch, token: world.token() })
  const callHealth = async (): Promise<number> => {
    const fromMs = performance.now()
    const answer = await fetch(`${address}/health`)
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`/health answered ${answer.status}`)
    return performance.now() - fromMs
  }
  const readTicks = (): string[] =>
    existsSync(ticks) ? readFileSync(ticks, 'utf8').split('\n').slice(0, -1) : []
  const takeBusyMs = async (): Promise<number> => {
    const before = readTicks().length
    process.kill(pid, 'SIGUSR2')
    while (readTicks().length === before) await delay(POLL_MS)
    return Number(readTicks().at(-1))
  }
  const measure: BusyDaemon['measure'] = async (work) => {
    await takeBusyMs()
    const fromMs = performance.now()
    let isOver = false
    const worked = work().finally(() => {
      isOver = true
    })
    // Reported below, when the sampling has ended.
    worked.catch(() => undefined)
    const latencies = [await callHealth()]
    while (!isOver) latencies.push(await callHealth())
    await worked
    const sorted = latencies.toSorted((a, b) => a - b)
    return {
      busyMs: await takeBusyMs(),
      health: {
        p50: sorted[Math.floor(sorted.length / 2)] ?? 0,
        max: sorted.at(-1) ?? 0,
        calls: sorted.length,
      },
      tookMs: performance.now() - fromMs,
    }
  }
  /** The lock of a flow is released a moment after its run has ended. */
  const startWhenFree = async (
    name: string,
    input: Record<string, unknown>,
  ): Promise<RouteAnswer<typeof API.startRun>> => {
    try {
      return await client.call('startRun', {
        query: { wait: LONGEST_WAIT_S },
        body: { name, input },
      })
    } catch (thrown) {
      if (toStewardError(thrown).code !== 'run_active') throw thrown
      await delay(POLL_MS)
      return startWhenFree(name, input)
    }
  }
  const beQuiet = async (): Promise<void> => {
    for (let call = 0; call < QUIET_CALLS; call++) await callHealth()
  }
  await beQuiet()
  const quiet = (await measure(beQuiet)).health.p50
  return {
    world,
    client,
    address,
    pid,
    measure,
    compare: async (what, work, harmless) => {
      const usual = await measure(harmless)
      const { busyMs, health, tookMs } = await measure(work)
      console.log(
        `   ${what}: ended after ${(tookMs / 1000).toFixed(1)} s; ${health.calls} calls of /health, ` +
          `p50 ${(health.p50 / quiet).toFixed(1)}x and slowest ${(health.max / quiet).toFixed(1)}x of the quiet ${quiet.toFixed(1)} ms; ` +
          `busy for at most ${busyMs.toFixed(1)} ms (${usual.busyMs.toFixed(1)} ms with harmless work)`,
      )
      return busyMs <= Math.max(usual.busyMs, SHORT_MS) * FACTOR
        ? []
        : [`${what}: the daemon computed for ${busyMs.toFixed(0)} ms without answering`]
    },
    run: async (name, input = {}) => {
      const { status, error } = await startWhenFree(name, input)
      return error?.code ?? status ?? 'unknown'
    },
    close: async () => {
      await started.kill()
      world.remove()
    },
  }
}
