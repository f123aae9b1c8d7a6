import { matchesWildcards, parseWildcards } from '@steward/contract'
import { MARK } from '../marks.ts'
import { type Call, type Program, valuesGiven } from '../program.ts'
import { ANSWER_PROGRAMS } from './answer-programs.ts'
import { ARCHIVE_PROGRAMS } from './archive-programs.ts'
import { AWK_PROGRAMS } from './awk-program.ts'
import { CODE_PROGRAMS, interpreterOf, runInterpreter } from './code-programs.ts'
import { CONTAINER_PROGRAMS } from './container-programs.ts'
import { DATABASE_PROGRAMS } from './database-programs.ts'
import { DECODE_PROGRAMS } from './decode-programs.ts'
import { runEscapes } from './escape-commands.ts'
import { FD_PROGRAMS } from './fd-program.ts'
import { FILE_PROGRAMS } from './file-programs.ts'
import { GIT_PROGRAMS } from './git-program.ts'
import { GREP_PROGRAMS } from './grep-program.ts'
import { MAKE_PROGRAMS } from './make-program.ts'
import { checkSent, NETWORK_PROGRAMS } from './network-programs.ts'
import { OTHER_PROGRAMS } from './other-programs.ts'
import { READ_PROGRAMS } from './read-programs.ts'
import { runOptions } from './run-options.ts'
import { runUnknown } from './run-unknown.ts'
import { SAY_PROGRAMS } from './say-programs.ts'
import { SEARCH_PROGRAMS } from './search-programs.ts'
import { SED_PROGRAMS } from './sed-program.ts'
import { SERVE_PROGRAMS } from './serve-programs.ts'
import { SHELL_PROGRAMS } from './shell-programs.ts'
import { STEWARD_PROGRAMS } from './steward-program.ts'
import { SYNC_PROGRAMS } from './sync-programs.ts'
import { findRunner, WRAPPER_PROGRAMS } from './wrapper-programs.ts'

const PROGRAMS: Record<string, Program> = {
  ...SAY_PROGRAMS,
  ...READ_PROGRAMS,
  ...DECODE_PROGRAMS,
  ...ANSWER_PROGRAMS,
  ...GREP_PROGRAMS,
  ...SED_PROGRAMS,
  ...AWK_PROGRAMS,
  ...FD_PROGRAMS,
  ...MAKE_PROGRAMS,
  ...FILE_PROGRAMS,
  ...ARCHIVE_PROGRAMS,
  ...SYNC_PROGRAMS,
  ...SHELL_PROGRAMS,
  ...WRAPPER_PROGRAMS,
  ...SEARCH_PROGRAMS,
  ...NETWORK_PROGRAMS,
  ...GIT_PROGRAMS,
  ...CODE_PROGRAMS,
  ...CONTAINER_PROGRAMS,
  ...DATABASE_PROGRAMS,
  ...OTHER_PROGRAMS,
  ...SERVE_PROGRAMS,
  ...STEWARD_PROGRAMS,
}

/** Dispatches a call by the program's name. */
export const runProgram = (call: Call): string => {
  const { name, args, shell, stdin, state } = call
  if (printsSettings(call)) return ''
  runOptions(call)
  runEscapes(call)
  readEnvironmentFiles(call)
  checkSent(call)
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
  if (program !== undefined) return program(call)
  const runner = findRunner(name, args)
  if (runner?.text !== undefined) return shell.runText(runner.text, stdin, state)
  if (runner !== undefined)
    return runner.command.length === 0 ? '' : shell.run(runner.command, stdin, state)
  const interpreter = interpreterOf(name)
  if (interpreter !== undefined) return runInterpreter(call, interpreter)
  if (name.startsWith('mkfs')) return FILE_PROGRAMS.mkfs?.(call) ?? ''
  return runUnknown(call)
}

/** Output that shells source; it comes from an installed program and is trusted. */
const printsSettings = ({ name, args: [sub = '', ...rest] }: Call): boolean =>
  (/^(completions?|shellenv)$/.test(sub) && rest.length <= 3) ||
  (HOOKED.test(name) && /^(hook|activate|init|env|shell\.\w+)$/.test(sub))

const HOOKED = /^(direnv|mise|rtx|conda|mamba|micromamba|asdf|thefuck|navi|broot|fzf|atuin)$/

/** `--env-file=.env` loads the file into the environment of a program. */
const readEnvironmentFiles = ({ args, shell }: Call): void => {
  for (const path of valuesGiven(args, ['--env-file', '--env-file-if-exists', '--dotenv']))
    shell.read(path)
}

const MAX_NAMED = 20

/** `/bin/r?` may be any known program with such a name. */
export const programsNamed = (name: string): string[] => {
  if (!name.includes(MARK.one) && !name.includes(MARK.star)) return []
  const pattern = parseWildcards(name, MARK.star, MARK.one)
  const least = pattern.filter(({ kind }) => kind !== 'many').length
  return Object.keys(PROGRAMS)
    .filter((each) => each.length >= least && matchesWildcards(pattern, each))
    .slice(0, MAX_NAMED)
}
