/** `npm start`: builds what changed, then does what `steward start` does in an installed package. */
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { findBuild } from '../packages/cli/bin/clone-build.mjs'
import { COMMANDS } from '../packages/cli/src/commands/index.ts'
import { buildDashboard } from './build-dashboard.ts'

const root = join(import.meta.dirname, '..')

const began = performance.now()
let hasBuilt = false
await buildDashboard(() => {
  hasBuilt = true
  process.stderr.write('Building the dashboard, once after each update…')
})
if (hasBuilt) process.stderr.write(` ${((performance.now() - began) / 1000).toFixed(0)} s\n`)

// Compiled here, so that the person's first command does not have to; it reports itself when it takes
// long or fails.
for (const word of Object.keys(COMMANDS)) findBuild(root, word)

// The compiled program holds half as much memory as its sources. The daemon starts further processes
// with the program that `argv` names.
const launcher = join(root, 'packages/cli/bin/steward.mjs')
process.argv.splice(1, 1, launcher, 'start')
await import(pathToFileURL(launcher).href)
