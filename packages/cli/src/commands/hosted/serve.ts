import { SANDBOX_DRIVERS, type SandboxDriverName, toStewardError } from '@steward/contract'
import type { HostedFacts, RunningHosted } from '@steward/hosted'
import { Command, Option } from 'commander'
import { EXIT, exitCodeOf } from '../../errors/exit-codes.ts'
import { reportError, reportProblem } from '../../errors/report-error.ts'
import { parsePort } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { readHostedHome, readHostedSettings } from './hosted-home.ts'
import { describeIsolation, describeNetwork } from './status.ts'
import { NO_ISOLATION } from './with-server.ts'

interface ServeFlags {
  port?: number
  host?: string
  db?: string
  home?: string
  isolation?: SandboxDriverName | false
  apiOnly?: true
  brainOnly?: true
  json?: true
}

const HELP = `
Examples:
  steward hosted serve                                 on hosted.port of settings.json (31338)
  steward hosted serve --port 0 --json                 on a free port, printed as JSON
  steward hosted serve --db postgres://user@host/db    share a store between several machines
  steward hosted serve --api-only                      only answer clients; other servers run sessions

The store is --db, else DATABASE_URL, else a file in the data home. After ^C or SIGTERM the server ends
streams, lets each session reach its next step and exits 0. Sessions continue at the next start. Exit
codes: 1 it could not start, 2 invalid settings, 4 the port is in use, 5 a program such as bubblewrap is
missing, or the bucket refuses. With --no-isolation, commands of agents run on this machine as you.
`

export const createHostedServeCommand = (io: Io): Command =>
  new Command('serve')
    .description('Serve the hosted agent API and run its sessions')
    .option('--port <port>', 'the port to listen on; 0 for any free port', parsePort)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--db <url>', 'a Postgres that several servers share')
    .option('--home <dir>', 'data home (default: STEWARD_HOME)')
    .addOption(
      new Option('--isolation <driver>', 'how sandboxes are isolated').choices(
        SANDBOX_DRIVERS.filter((driver) => driver !== 'none'),
      ),
    )
    .option('--no-isolation', 'no sandbox: agents run commands as you')
    .addOption(new Option('--api-only', 'answer clients, run no session').conflicts('brainOnly'))
    .option('--brain-only', 'run sessions, answer no client')
    .option('--json', 'print the address as JSON')
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => serveHosted(io, flags))

const PORT_REMEDY =
  'Stop the program that listens there, or choose another port with --port or hosted.port in settings.json.'

/** Runs the server until it is asked to stop. */
const serveHosted = async (io: Io, flags: ServeFlags): Promise<void> => {
  try {
    const running = await start(io, flags)
    announce(io, running, flags.json === true)
    await untilAborted(io.signal)
    await running.stop()
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (error.code === 'port_busy') {
      reportProblem(io, { message: error.message, code: error.code, remedy: PORT_REMEDY })
      io.exitCode = EXIT.conflict
      return
    }
    reportError(io, error)
    io.exitCode = exitCodeOf(error.code)
  }
}

const start = async (io: Io, flags: ServeFlags): Promise<RunningHosted> => {
  const { home, environment } = await readHostedHome(io, flags.home)
  const { hosted } = await readHostedSettings(home)
  const { port, host, isolation } = flags
  const databaseUrl = flags.db ?? (environment.DATABASE_URL || undefined)
  const { startHosted } = await import('@steward/hosted')
  return startHosted({
    home: home.root,
    env: environment,
    settings: hosted,
    role: flags.apiOnly ? 'api' : flags.brainOnly ? 'brain' : 'all',
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(isolation === undefined ? {} : { isolation: isolation === false ? 'none' : isolation }),
    report: ({ code, message }, where) => {
      const place = where === undefined ? '' : ` (${where})`
      io.err.write(
        `${io.err.paint.red('error:')} ${cleanText(message)} [${code}]${cleanText(place)}\n`,
      )
    },
  })
}

const announce = (io: Io, { address, facts }: RunningHosted, json: boolean): void => {
  if (!facts.isolated) io.err.write(`${io.err.paint.red(NO_ISOLATION)}\n`)
  if (json) {
    printJson(
      { ...io.out, isTerminal: false },
      { address: address ?? null, pid: process.pid, ...facts },
    )
    return
  }
  const head =
    address === undefined
      ? 'A brain of hosted agents runs'
      : `Hosted agents are served on ${address}`
  io.out.write(`${head}\n${renderFacts(facts, io.out.paint)}`)
}

/** Isolation, limits, storage and model of the server. */
const renderFacts = (facts: HostedFacts, paint: Paint): string => {
  return formatTable([
    ['  sandbox', describeIsolation(facts, paint)],
    ['  network', describeNetwork(facts.network)],
    ['  store', `${facts.engine} ${cleanText(facts.database)}`],
    ['  files', cleanText(facts.files)],
    ['  model', cleanText(facts.model)],
    ...facts.remarks.map((remark) => ['  note', paint.yellow(cleanText(remark))]),
  ])
}

const LONG_MS = 3_600_000

/**
 * Waits until aborted: an agent loop alone on SQLite has no socket that keeps the process alive.
 */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const staying = setInterval(() => undefined, LONG_MS)
    const leave = (): void => {
      clearInterval(staying)
      resolve()
    }
    signal.addEventListener('abort', leave, { once: true })
  })
