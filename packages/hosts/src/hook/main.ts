import { homedir } from 'node:os'
import { join } from 'node:path'

// The program itself is in a file of its own, so that Node can keep it compiled between calls.
const home = process.env.STEWARD_HOME || join(homedir(), '.steward')
process.getBuiltinModule('node:module').enableCompileCache(join(home, 'state', 'hook-cache'))
const { runHook } = await import('./run-hook.ts')
await runHook(process)
process.exitCode = 0
