import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ActionContextV2, JsonObject } from '@steward/contract'
import { createActionHosts, newRunId, openLocalRuntime } from '@steward/runner'
import { startDaemonProcess } from './daemon/daemon-process.ts'
import { measureLoad } from './runs/load.ts'
import { type Measure, measureHere, type Round, type RunOnce } from './runs/measure.ts'

type Print = (line: string) => void

const ROUNDS = 3
const AT_A_TIME = [1, 16]

const ACTIONS = [
  { name: 'A_COUNT_WORDS', output: { words: 90 } },
  { name: 'A_RATE_CONTENT', output: { rating: 'A', score: 71 } },
  { name: 'A_FORMAT_TITLE', output: { title: 'Of storms' } },
].map((action) => ({
  ...action,
  execute: (input: JsonObject): JsonObject => ({ ...input, ...action.output }),
}))
const INPUT: JsonObject = {
  content: 'A storm came in from the west that night. '.repeat(12),
  page: 4,
}
/** The minimum for durability: a loop that commits each step's input and output. */
const createBareLoop = (path: string): RunOnce => {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE steps (run TEXT, idx INTEGER, input TEXT, output TEXT, PRIMARY KEY (run, idx))`)
  const insert = database.prepare('INSERT INTO steps VALUES (?, ?, ?, ?)')
  return async () => {
    const runId = newRunId(Date.now())
    let carried = INPUT
    for (const [index, { execute }] of ACTIONS.entries()) {
      const input = JSON.stringify(carried)
      carried = execute(carried)
      insert.run(runId, index, input, JSON.stringify(carried))
    }
    return carried
  }
}

const runPlainly: RunOnce = async () =>
  ACTIONS.reduce((carried, { execute }) => execute(carried), INPUT)

/**
 * Durable three-step runs with isolated actions, compared with plain calls of the same functions and
 * with a bare loop of commits: in one process, and over HTTP through the daemon's own route.
 */
export const benchRuns = async (print: Print): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  writeActions(directory)
  const steward = await openLocalRuntime({
    env: { STEWARD_HOME: directory },
    homedir: directory,
    builtIn: join(directory, 'library'),
  })
  const ways = {
    plain: runPlainly,
    bare: createBareLoop(join(directory, 'bare.sqlite')),
    durable: () => steward.runner.run('P_BENCH_RUNS', INPUT),
  }
  try {
    print('three-step runs, synchronous=FULL: plain calls, a bare loop of commits, the runner')
    for (const atATime of AT_A_TIME) {
      await compare(ways, `in process, ${atATime} at a time`, print, (run) =>
        measureHere(run, atATime),
      )
    }
    print(`isolation: ${await measureIsolation(directory)}`)
  } finally {
    await steward.close()
  }
  const daemon = await startDaemonProcess(directory)
  const token = readFileSync(join(directory, 'token'), 'utf8').trim()
  try {
    print(`a first call: ${await measureFirstCalls(daemon.address, token)}`)
    for (const atATime of AT_A_TIME) {
      await compare(ways, `over HTTP, ${atATime} at a time`, print, (run, way) =>
        way === 'durable'
          ? measureLoad({
              url: `${daemon.address}/api/runs?wait=30`,
              token,
              body: JSON.stringify({ name: 'P_BENCH_RUNS', input: INPUT }),
              atATime,
            })
          : measureOverHttp(run, atATime),
      )
    }
  } finally {
    await daemon.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** One call of an action in a warm host. */
const measureIsolation = async (home: string): Promise<string> => {
  const hosts = createActionHosts()
  const file = join(home, 'USER/ACTIONS', ACTIONS[0]?.name ?? '', 'action.mjs')
  const action = { name: 'A_COUNT_WORDS', file, hash: 'bench', network: false }
  const context: ActionContextV2 = {
    capabilities: {},
    env: { mode: 'local', secrets: [] },
    secret: () => undefined,
    signal: new AbortController().signal,
    now: () => new Date(),
    trace: { runId: 'bench', step: 0 },
    log: () => undefined,
  }
  const call = async (): Promise<void> => {
    const host = await hosts.acquire(action, undefined)
    try {
      await host.call(INPUT, context, () => undefined)
    } finally {
      host.release()
    }
  }
  try {
    const { p50Us } = await measureHere(call, 1)
    return `a call costs ${p50Us.toFixed(0)} us in a warm process`
  } finally {
    await hosts.close()
  }
}

/** A run of one action by the daemon, in a new process for it and then in the same. */
const measureFirstCalls = async (address: string, token: string): Promise<string> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = async (name: string): Promise<number> => {
    const startedAt = performance.now()
    const body = JSON.stringify({ name, input: INPUT })
    const answer = await fetch(`${address}/api/runs?wait=30`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`${name} was answered with ${answer.status}`)
    await answer.arrayBuffer()
    return performance.now() - startedAt
  }
  const [loading, measured] = ACTIONS.map(({ name }) => name)
  if (loading === undefined || measured === undefined) return 'not measured'
  // The daemon loads its own code for runs with the first one.
  await call(loading)
  const firstMs = await call(measured)
  const secondMs = await call(measured)
  return `${firstMs.toFixed(0)} ms in a new process, ${secondMs.toFixed(1)} ms in the same again`
}

/** The same three functions as custom actions in a pipeline. */
const writeActions = (home: string): void => {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), text)
  }
  for (const { name, output } of ACTIONS) {
    const manifest = { name, description: name, input: { content: { type: 'string' } }, output: {} }
    write(`USER/ACTIONS/${name}/action.json`, JSON.stringify(manifest))
    write(
      `USER/ACTIONS/${name}/action.mjs`,
      `export const execute = () => (${JSON.stringify(output)})`,
    )
  }
  const names = ACTIONS.map(({ name }) => name).join(', ')
  const pipeline = `name: P_BENCH_RUNS\ndescription: Three steps.\nactions: [${names}]\n`
  write('USER/PIPELINES/P_BENCH_RUNS.yaml', pipeline)
}

/** Rounds alternate between the variants, so that other load affects all. */
const compare = async (
  ways: Record<'plain' | 'bare' | 'durable', RunOnce>,
  title: string,
  print: Print,
  measure: (run: RunOnce, way: 'plain' | 'bare' | 'durable') => Promise<Round>,
): Promise<void> => {
  const rounds: Record<keyof typeof ways, Round[]> = { plain: [], bare: [], durable: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ['plain', 'bare', 'durable'] as const) {
      rounds[way].push(await measure(ways[way], way))
    }
  }
  const [plain, bare, durable] = [rounds.plain, rounds.bare, rounds.durable].map(middle)
  if (plain === undefined || bare === undefined || durable === undefined) return
  const show = ({ runsPerSecond, p50Us }: Measure) =>
    `${runsPerSecond.toFixed(0).padStart(8)} runs/s  p50 ${p50Us.toFixed(0).padStart(5)} us`
  print(title)
  print(`  plain    ${show(plain)}`)
  print(`  bare     ${show(bare)}`)
  print(`  durable  ${show(durable)}`)
  const cold = rounds.durable[0]?.firstSecond ?? 0
  print(
    `  durable  ${cold.toFixed(0).padStart(8)} runs/s  in the first second, before V8 optimises`,
  )
  print(`  durable takes ${ratio(durable, bare)} bare, ${ratio(durable, plain)} plain`)
}

const ratio = (one: Measure, other: Measure): string => {
  const byRate = other.runsPerSecond / one.runsPerSecond
  const byMedian = one.p50Us / other.p50Us
  return `${byRate.toFixed(2)}x the time (p50 ${byMedian.toFixed(2)}x) of`
}

const middle = (rounds: Measure[]): Measure | undefined =>
  rounds.toSorted((a, b) => a.runsPerSecond - b.runsPerSecond)[Math.floor(rounds.length / 2)]

const measureOverHttp = async (run: RunOnce, atATime: number): Promise<Round> => {
  const server = createServer(async (incoming, answer) => {
    for await (const _ of incoming);
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify(await run()))
  })
  // On a busy machine the client pauses for longer than the usual five seconds.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const url = `http://127.0.0.1:${port}/`
    return await measureLoad({ url, token: '', body: JSON.stringify(INPUT), atATime })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

if (import.meta.main) await benchRuns(console.log)
