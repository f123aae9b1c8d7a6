import { homedir } from 'node:os'
import { join } from 'node:path'

// Where the person keeps their data was known when the hook was installed; the environment may differ.
const given = process.argv.indexOf('--home')
if (given !== -1) process.env.STEWARD_HOME ??= process.argv[given + 1]
// The program itself is in a file of its own, so that Node can keep it compiled between calls.
const home = process.env.STEWARD_HOME || join(homedir(), '.steward')
process.getBuiltinModule('node:module').enableCompileCache(join(home, 'state', 'hook-cache'))
const { runHook } = await import('./run-hook.ts')
process.exitCode = await runHook(process)
