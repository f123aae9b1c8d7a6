import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedProcess } from './hosted-process.ts'
import { type Clients, type Report, startClients } from './orders.ts'
import { cpuMsOf, residentBytesOf, settledBytesOf } from './process-use.ts'
import type { StandInModel } from './stand-in-model.ts'
import { describeStoreUse, type ReadStoreUse } from './store-use.ts'

export interface LoadSize {
  sessions: number
  streamsEach: number
}

type Print = (line: string) => void

interface Measured extends Report {
  /** Of the server only. */
  cpuMs: number
}

const TURNS_ALONE = 15
const WARM_TURNS = 5

/**
 * Many sessions and streams on one server, compared with one session and stream on the same server.
 */
export const benchLoad = async (
  server: HostedProcess,
  model: StandInModel,
  readStore: ReadStoreUse,
  { sessions, streamsEach }: LoadSize,
  print: Print,
): Promise<void> => {
  const measure = async (clients: Clients, turns: number, spreadMs = 0): Promise<Measured> => {
    const before = cpuMsOf(server.pid)
    const report = await clients.play(turns, spreadMs)
    return { ...report, cpuMs: cpuMsOf(server.pid) - before }
  }
  model.setThinking(0)
  const single = startClients(server.address, server.key)
  const many = startClients(server.address, server.key)
  try {
    await single.create(1)
    await single.open(1)
    await single.play(WARM_TURNS)
    const alone = await measure(single, TURNS_ALONE)
    print(`  one session, one stream   ${describe(alone)}`)

    const first = await settledBytesOf(server.pid)
    // Warms up, so that one-time allocations are not attributed to a session.
    await many.create(sessions)
    await many.open(1)
    await many.play(1)
    const before = await settledBytesOf(server.pid)
    await many.open(streamsEach - 1)
    const opened = await settledBytesOf(server.pid)
    const streams = sessions * streamsEach
    const perStream = (opened - before) / (streams - sessions)

    const stored = await readStore()
    const flood = await measure(many, 2)
    const used = describeStoreUse(stored, await readStore(), flood.events)
    print(`  ${sessions} sessions, ${streams} streams at full speed`)
    print(`                            ${describe(flood)}`)
    print(`    to one session          ${compare(flood, alone)}`)
    print(`    the store               ${used}`)

    const turnEvents = flood.events / 2 / sessions
    // Half of its capacity, so that delays come from the server, not from a queue.
    const secondsAtHalf = (2 * turnEvents * sessions) / (flood.events / (flood.elapsedMs / 1000))
    const thinkMs = Math.min(15_000, Math.max(2000, (secondsAtHalf * 1000) / 3))
    model.setThinking(thinkMs)
    const paced = measure(many, 1, thinkMs)
    await sleep(thinkMs * 1.5)
    const [atWork, asked] = [residentBytesOf(server.pid), model.open()]
    const even = await paced
    print(
      `  the same, paced           the model thinks ${(thinkMs / 1000).toFixed(1)} s, ${asked} calls of it open at once`,
    )
    print(`                            ${describe(even)}`)
    print(`    to one session          ${compare(even, alone)}`)
    const idle = await settledBytesOf(server.pid)
    print(
      `  memory                    ${mb(first)} after one session; ${mb(before)} after ${sessions}, with ${sessions} streams, ${mb(opened)} with ${streams}: ${kb(perStream)} a stream; ` +
        `${mb(atWork)} with ${asked} sessions at work, ${mb(idle)} after: ${kb(Math.max(0, atWork - opened) / Math.max(1, asked))} a session at work`,
    )
  } finally {
    model.setThinking(0)
    await Promise.all([single.stop(), many.stop()])
  }
}

const perSecond = ({ events, elapsedMs }: Report): number => (events * 1000) / elapsedMs

const describe = (measured: Measured): string =>
  [
    `${perSecond(measured).toFixed(0)} events/s`,
    `${((measured.frames * 1000) / measured.elapsedMs).toFixed(0)} frames/s`,
    `to a stream p50 ${measured.p50Ms} ms, p99 ${measured.p99Ms} ms`,
    `server ${((100 * measured.cpuMs) / measured.elapsedMs).toFixed(0)}% of a core`,
    `${(measured.cpuMs / measured.events).toFixed(2)} ms of it an event`,
  ].join(', ')

const compare = (measured: Measured, base: Measured): string =>
  [
    `events/s ${ratio(perSecond(measured), perSecond(base))}`,
    `p50 ${ratio(measured.p50Ms, Math.max(1, base.p50Ms))}`,
    `p99 ${ratio(measured.p99Ms, Math.max(1, base.p99Ms))}`,
    `processor an event ${ratio(measured.cpuMs / measured.events, base.cpuMs / base.events)}`,
  ].join(', ')

const ratio = (value: number, base: number): string => `${(value / base).toFixed(2)}x`
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`
const kb = (bytes: number): string => `${(bytes / 1024).toFixed(1)} kB`
