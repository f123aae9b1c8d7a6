import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { destinationsOf, PLATFORM_VERSION } from '@steward/contract'
import { findDaemon, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { findDaemonClient } from '../../daemon/daemon-client.ts'
import { openDaemon } from '../../daemon/open-daemon.ts'
import { parsePort } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printFlowOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'
import { createSignInUrl, openBrowser } from '../open/open.ts'
import { connectAssistants } from './connect-assistants.ts'
import { hasScreen } from './is-interactive.ts'
import { renderNextSteps } from './next-steps.ts'
import { showHistory } from './show-history.ts'

const SAMPLE = 'F_SAMPLE_DIGEST'

interface StartFlags {
  port?: number
  /** `--no-open`: open no browser. */
  open: boolean
  verbose?: true
}

const HELP = `
The first start offers to connect your assistants, imports their history, opens the dashboard and
runs a sample flow. Without a terminal it asks nothing and opens nothing.
`

/** Starts the daemon in this process and shows a new user what there is. */
export const createStartCommand = (io: Io): Command =>
  new Command('start')
    .description('Start Steward in the foreground and show the first steps')
    .option('--port <port>', 'the port to listen on; 0 for any free port', parsePort)
    .option('--no-open', 'do not open the dashboard')
    .option('--verbose', 'print all log lines of the daemon')
    .addHelpText('after', HELP)
    .action(async ({ port, open, verbose }: StartFlags) => {
      const home = resolveHome(io.env, io.homedir)
      io.out.write(`Steward ${PLATFORM_VERSION}, data home ${home.root}\n\n`)
      const running = await findDaemon(home)
      const quiet = verbose === true ? io : { ...io, err: { ...io.err, write: withoutInfo(io) } }
      const place = port === undefined ? {} : { port }
      const daemon = running === undefined ? await openDaemon(quiet, place) : undefined
      const address = running?.address ?? daemon?.address
      io.out.write(`${describe(address, running !== undefined)}\n`)
      const isConnected = await welcome(io, { open, isListening: address !== undefined })
      io.out.write(renderNextSteps(isConnected))
      if (daemon !== undefined) io.out.write('\nSteward runs until you press Ctrl+C.\n')
      await daemon?.done
    })

/** A line of the daemon's log that reports normal operation. */
const INFO = /^\S+ info /

const withoutInfo = (io: Io) => (line: string) => {
  if (!INFO.test(line)) io.err.write(line)
}

const describe = (address: string | undefined, isOther: boolean): string => {
  if (address === undefined) return 'The daemon is switched off (observability.server.enabled).'
  return isOther ? `A daemon runs on this data home already: ${address}` : `Dashboard   ${address}`
}

const welcome = async (
  io: Io,
  { open, isListening }: { open: boolean; isListening: boolean },
): Promise<boolean> => {
  const isFirst = await withLocalRuntime(io, ({ history }) =>
    Promise.resolve(history.list({ limit: 1 }).length === 0),
  )
  const isConnected = await connectAssistants(io, { offer: isFirst })
  const client = isListening ? await findDaemonClient(io) : undefined
  if (client !== undefined) await showHistory(io, client)
  if (!isFirst) return isConnected
  if (client !== undefined && open && hasScreen(io, process.platform)) {
    const { url } = await createSignInUrl(io)
    const problem = await openBrowser(url, process.platform)
    if (problem === undefined) io.out.write('The dashboard opens in your browser.\n')
  }
  await runSample(io)
  return isConnected
}

/** Demonstrates Steward on the first start; later ones have their own data to show. */
const runSample = (io: Io): Promise<void> =>
  withLocalRuntime(io, async (steward) => {
    const { provider } = await steward.model()
    io.out.write(`\nThe sample flow, on the model provider ${provider}:\n`)
    const options = { quiet: false, verbose: false, flow: true }
    const outcome = await watchRun(io, options, (watching) =>
      steward.flows.trigger(SAMPLE, watching),
    )
    io.exitCode = printFlowOutcome(io, outcome, steward, false)
    const [destination] = destinationsOf(steward.catalog.flows.load(SAMPLE).flow)
    if (destination.type !== 'file') return
    const result = resolve(steward.home.output, destination.path)
    io.out.write(`  result ${existsSync(result) ? result : `${result} (not there yet)`}\n`)
  })
