/** `npm start`: the daemon, plus the sample flow on the configured model if nothing ran before. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { destinationsOf, PLATFORM_VERSION } from '@steward/contract'
import { findDaemon, resolveHome } from '@steward/platform'
import { findBuild } from '../packages/cli/bin/clone-build.mjs'
import { COMMANDS } from '../packages/cli/src/commands/index.ts'
import {
  createIo,
  handleThrown,
  type Io,
  listenForInterruption,
  openDaemon,
  printFlowOutcome,
  watchRun,
  withLocalRuntime,
} from '../packages/cli/src/index.ts'
import { buildDashboard } from './build-dashboard.ts'

const SAMPLE = 'F_SAMPLE_DIGEST'

const start = async (io: Io): Promise<void> => {
  const home = resolveHome(io.env, io.homedir)
  io.out.write(`Steward ${PLATFORM_VERSION}, data home ${home.root}\n\n`)
  await buildDashboard(() => io.err.write('Building the dashboard…\n'))
  buildProgram()
  const running = await findDaemon(home)
  const daemon = running === undefined ? await openDaemon(io, {}) : undefined
  await runSample(io)
  const address = running?.address ?? daemon?.address
  io.out.write(renderNext(address, running !== undefined))
  await daemon?.done
}

/**
 * Compiled here, so that the person's first command does not have to; it reports itself when it
 * takes long or fails.
 */
const buildProgram = (): boolean =>
  Object.keys(COMMANDS).every((word) => findBuild(join(import.meta.dirname, '..'), word))

/** Demonstrates Steward on the first start; later ones have their own data to show. */
const runSample = (io: Io): Promise<void> =>
  withLocalRuntime(io, async (steward) => {
    if (steward.history.list({ limit: 1 }).length > 0) return
    const { provider } = await steward.model()
    io.out.write(`The sample flow, on the model provider ${provider}:\n`)
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

const renderNext = (address: string | undefined, isOther: boolean): string => `
${describe(address, isOther)}

What to try next, in another terminal:
  npx steward open                                        the dashboard, signed in
  npx steward hooks install                               let Steward see and guard your assistants' sessions
  npx steward list                                        what there is to run
  npx steward runs                                        what ran, and how it went
  npx steward new action A_COUNT_WORDS                    an action of your own
  npx steward run A_COUNT_WORDS --local --content "a b c" run it
  npx steward service install                             run the daemon in the background; takes over from this one
  npx steward doctor                                      whether all is well
`

const describe = (address: string | undefined, isOther: boolean): string => {
  if (address === undefined) return 'The daemon is switched off (observability.server.enabled).'
  return isOther
    ? `A daemon runs on this data home already: ${address}`
    : `The daemon listens on ${address}   (^C ends it)`
}

const io = createIo(process, listenForInterruption(process))
try {
  await start(io)
  process.exitCode = io.exitCode
} catch (thrown) {
  process.exitCode = await handleThrown(io, thrown)
}
