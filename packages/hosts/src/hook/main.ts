import process from 'node:process'
import { runHook } from './run-hook.ts'

await runHook(process)
process.exitCode = 0
