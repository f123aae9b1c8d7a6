import type { StartTimer } from '../processes/start-timer.ts'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'

/** No sandbox: only for people who explicitly accept it. */
export const createUnsandboxed = ({ startTimer }: { startTimer?: StartTimer } = {}): Sandbox => ({
  isolation: 'none',
  run: ([command = '', ...args], options) => runProcess(command, args, { ...options, startTimer }),
})
