import type { Call, Program } from '../program.ts'
import { CODE_PROGRAMS, interpreterOf, runInterpreter } from './code-programs.ts'
import { FILE_PROGRAMS } from './file-programs.ts'
import { GIT_PROGRAMS } from './git-program.ts'
import { NETWORK_PROGRAMS } from './network-programs.ts'
import { OTHER_PROGRAMS, runUnknown } from './other-programs.ts'
import { SEARCH_PROGRAMS } from './search-programs.ts'
import { SHELL_PROGRAMS } from './shell-programs.ts'
import { TEXT_PROGRAMS } from './text-programs.ts'
import { findRunner, WRAPPER_PROGRAMS } from './wrapper-programs.ts'

const PROGRAMS: Record<string, Program> = {
  ...TEXT_PROGRAMS,
  ...FILE_PROGRAMS,
  ...SHELL_PROGRAMS,
  ...WRAPPER_PROGRAMS,
  ...SEARCH_PROGRAMS,
  ...NETWORK_PROGRAMS,
  ...GIT_PROGRAMS,
  ...CODE_PROGRAMS,
  ...OTHER_PROGRAMS,
}

/** What a call does, by the program's name. */
export const runProgram = (call: Call): string => {
  const { name, args, shell, stdin, state } = call
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
  if (program !== undefined) return program(call)
  const runner = findRunner(name, args)
  if (runner !== undefined) return runner.length === 0 ? '' : shell.run(runner, stdin, state)
  const interpreter = interpreterOf(name)
  if (interpreter !== undefined) return runInterpreter(call, interpreter)
  if (name.startsWith('mkfs')) return FILE_PROGRAMS.mkfs?.(call) ?? ''
  return runUnknown(call)
}
