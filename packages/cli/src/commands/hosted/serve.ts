import { toStewardError } from '@steward/contract'
import { type HostedFacts, type RunningHosted, startHosted } from '@steward/hosted'
import { EXIT, exitCodeOf } from '../../errors/exit-codes.ts'
import { reportError, reportProblem } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import type { ServeFlags } from './command-flags.ts'
import { readHostedHome, readHostedSettings } from './hosted-home.ts'
import { describeIsolation } from './status.ts'
import { NO_ISOLATION } from './with-server.ts'

const PORT_REMEDY =
  'Stop what listens there, or choose another with --port or with hosted.port in settings.json.'

/** Runs the server until it is asked to end. */
export const serveHosted = async (io: Io, flags: ServeFlags): Promise<void> => {
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

/** What isolates, what limits, what stores and who answers. */
export const renderFacts = (facts: HostedFacts, paint: Paint): string => {
  return formatTable([
    ['  sandbox', describeIsolation(facts, paint)],
    ['  store', `${facts.engine} ${cleanText(facts.database)}`],
    ['  model', cleanText(facts.model)],
    ...facts.remarks.map((remark) => ['  note', paint.yellow(cleanText(remark))]),
  ])
}

const LONG_MS = 3_600_000

/** Stays until it is asked to end: a brain alone on SQLite has no socket that would keep it. */
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
