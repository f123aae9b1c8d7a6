import { isPlain } from '../marks.ts'
import { type Call, hasFlag, type Program, readArguments, valuesOf } from '../program.ts'
import { contentFor, reshaped } from './read-operands.ts'
import { findSedResult, findSedRuns, findSedWrites } from './sed-script.ts'

const stream: Program = (call) => {
  const { args, shell, state, stdin } = call
  const read = readArguments(args, ['e', 'expression', 'f', 'file', 'l'])
  const hasScript = hasFlag(read, 'e', 'expression', 'f', 'file')
  const kept = valuesOf(read, 'f', 'file').flatMap((file) => contentFor(call, file) ?? [])
  const given = hasScript ? valuesOf(read, 'e', 'expression') : read.operands.slice(0, 1)
  const scripts = [...given, ...kept]
  const paths = hasScript ? read.operands : read.operands.slice(1)
  const inPlace = args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg))
  for (const path of paths) inPlace ? shell.write(path, { replaces: true }) : shell.read(path)
  for (const script of scripts) {
    for (const command of findSedRuns(script)) {
      if (command !== '') shell.runText(command, '', state)
      else runLines(call)
    }
    const result = findSedResult(script)
    if (result !== undefined) {
      shell.emit({ kind: 'code', language: 'sed', text: script })
      shell.runText(result, '', state)
    }
    for (const path of findSedWrites(script)) shell.write(path.trim())
  }
  return paths.length === 0 && stdin === '' ? '' : reshaped(stdin)
}

/** A bare `e` runs each input line. */
const runLines = ({ stdin, shell, state }: Call): void => {
  shell.emit({ kind: 'unresolved', what: 'sed runs the lines that it reads' })
  if (stdin !== '' && isPlain(stdin)) shell.runText(stdin, '', state)
}

export const SED_PROGRAMS: Record<string, Program> = { sed: stream, gsed: stream }
