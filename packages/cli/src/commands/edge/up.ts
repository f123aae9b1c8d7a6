import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseDuration, reasonOf } from '@steward/contract'
import { EDGE_LIBRARY, type RunningEdge, startEdge } from '@steward/edge'
import { Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { requireEdge } from '../../setup/require-edge.ts'

interface UpFlags {
  port?: number
  json?: true
  at?: number
  dir: string
}

const HELP = `
Examples:
  steward edge up                     run every worker, each at its own address
  steward edge up --port 9000 --json  addresses from port 9000 on, as one line of JSON
  steward edge up --at 2026-01-31T08:59:00Z
                                      a clock that stands still until you advance it: the line
                                      "advance 5m" on standard input returns what happened

Changed definitions are built first, and again whenever an action, pipeline or flow changes.
Addresses, KV, D1, R2 and queues persist between starts. AUTH_TOKEN comes from the environment or
.env; without one, a new token is printed. All addresses are reachable from this machine only.
`

export const createEdgeUpCommand = (io: Io): Command =>
  new Command('up')
    .hook('preAction', () => requireEdge(io))
    .description('Run every worker on this machine, on the real runtime')
    .option('--port <port>', "first worker's port; the others follow", parsePort)
    .option('--json', 'print the addresses as JSON')
    .option('--at <time>', 'start a virtual clock at this ISO time', parseTime)
    .option('--dir <dir>', 'folder of the worker directories', 'workers')
    .addHelpText('after', HELP)
    .action((flags: UpFlags) =>
      withLocalRuntime(
        io,
        async (steward) => {
          const say = (text: string) => io.err.write(`${cleanText(text)}\n`)
          const warn = (text: string) => say(`${io.err.paint.yellow('warning')} ${text}`)
          const edge = await startEdge(
            steward,
            {
              workersFolder: resolve(io.cwd, flags.dir),
              library: EDGE_LIBRARY,
              basePort: flags.port,
              startAtMs: flags.at,
            },
            { say, warn, log: (level, text) => say(`${io.err.paint.dim(level)} ${text}`) },
          )
          try {
            announce(io, edge, flags.json === true)
            readSteps(io, edge).catch((thrown: unknown) => {
              if (!io.signal.aborted) warn(`commands are no longer read: ${reasonOf(thrown)}`)
            })
            const lost = await Promise.race([untilAborted(io.signal), edge.lost])
            if (lost !== undefined) throw lost
          } finally {
            await edge.stop()
          }
        },
        EDGE_LIBRARY,
      ),
    )

const announce = (io: Io, edge: RunningEdge, json: boolean): void => {
  const workers = edge.addresses()
  const token = edge.generatedToken
  if (json) {
    printJson(lineSink(io), { workers, ...(token === undefined ? {} : { token }) })
    return
  }
  io.out.write(formatTable(workers.map(({ name, url }) => [name, url])))
  if (token !== undefined) {
    io.out.write(`\nAUTH_TOKEN for this run (set your own in .env): ${token}\n`)
  }
  io.out.write('\nPress ^C to stop.\n')
}

/** Reads `advance 5m` line by line and answers each line before reading the next. */
const readSteps = async (io: Io, { advance }: RunningEdge): Promise<void> => {
  if (advance === undefined) return
  const answer = (value: unknown) => printJson(lineSink(io), value)
  for await (const line of createInterface({ input: io.stdin, signal: io.signal })) {
    const [word, duration = '', ...more] = line.trim().split(/\s+/)
    if (word === '') continue
    const durationMs = parseDuration(duration)
    if (word !== 'advance' || durationMs === undefined || more.length > 0) {
      answer({ error: `not understood: ${line.trim()}; write for example: advance 5m` })
      continue
    }
    answer(await advance(durationMs))
  }
}

/** Programs read one JSON value per line, even on a terminal. */
const lineSink = (io: Io) => ({ ...io.out, isTerminal: false })

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const HIGHEST_PORT = 65_535

const parsePort = (text: string): number => {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= HIGHEST_PORT) return port
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${HIGHEST_PORT}.`)
}

const parseTime = (text: string): number => {
  const timeMs = Date.parse(text)
  if (!Number.isNaN(timeMs)) return timeMs
  throw new InvalidArgumentError('It must be an ISO time, for example 2026-01-31T09:00:00Z.')
}
