/** `npm start`: builds what changed, then does what `steward start` does in an installed package. */
import { join } from 'node:path'
import process from 'node:process'
import { findBuild } from '../packages/cli/bin/clone-build.mjs'
import { COMMANDS } from '../packages/cli/src/commands/index.ts'
import {
  createIo,
  createStartCommand,
  handleThrown,
  type Io,
  listenForInterruption,
} from '../packages/cli/src/index.ts'
import { buildDashboard } from './build-dashboard.ts'

const root = join(import.meta.dirname, '..')

const start = async (io: Io): Promise<void> => {
  const began = performance.now()
  let hasBuilt = false
  await buildDashboard(() => {
    hasBuilt = true
    io.err.write('Building the dashboard, once after each update…')
  })
  if (hasBuilt) io.err.write(` ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
  buildProgram()
  await createStartCommand(io).parseAsync(io.args, { from: 'user' })
}

/**
 * Compiled here, so that the person's first command does not have to; it reports itself when it
 * takes long or fails.
 */
const buildProgram = (): boolean =>
  Object.keys(COMMANDS).every((word) => findBuild(root, word) !== undefined)

const io = createIo(process, listenForInterruption(process))
try {
  await start(io)
  process.exitCode = io.exitCode
} catch (thrown) {
  process.exitCode = await handleThrown(io, thrown)
}
