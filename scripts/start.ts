/** `npm start`: the sample flow on whatever model is configured, and where to look and go from there. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { PLATFORM_VERSION } from '@steward/contract'
import {
  createIo,
  handleThrown,
  type Io,
  listenForInterruption,
  printFlowOutcome,
  watchRun,
  withSteward,
} from '../packages/cli/src/index.ts'

const SAMPLE = 'F_SAMPLE_DIGEST'

const start = (io: Io): Promise<number> =>
  withSteward(io, async (steward) => {
    const { home, catalog, flows } = steward
    const { provider } = await steward.model()
    io.out.write(
      `Steward ${PLATFORM_VERSION}, data home ${home.root}, model provider ${provider}\n\n`,
    )
    const options = { quiet: false, verbose: false, flow: true }
    const outcome = await watchRun(io, options, (watching) => flows.trigger(SAMPLE, watching))
    const code = printFlowOutcome(io, outcome, steward, false)
    const { destination } = catalog.flows.load(SAMPLE).flow
    if (destination.type === 'file') {
      const result = resolve(home.output, destination.path)
      io.out.write(`  result ${existsSync(result) ? result : `${result} (not there yet)`}\n`)
    }
    io.out.write(NEXT)
    return code
  })

const NEXT = `
What to try next:
  npx steward list                                        what there is to run
  npx steward runs                                        what ran, and how it went
  npx steward new action A_COUNT_WORDS                    an action of your own
  npx steward run A_COUNT_WORDS --local --content "a b c" run it
  npx steward doctor                                      whether all is well
`

const io = createIo(process, listenForInterruption(process))
try {
  process.exitCode = await start(io)
} catch (thrown) {
  process.exitCode = await handleThrown(io, thrown)
}
