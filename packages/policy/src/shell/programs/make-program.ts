import { isPlain, MARK } from '../marks.ts'
import { type Program, readArguments, valuesOf } from '../program.ts'
import { contentFor } from './read-operands.ts'
import { runCode } from './run-code.ts'
import { runUnknown } from './run-unknown.ts'

/** Judges make rules that the command line itself provides; rules on disk belong to the project. */
const make: Program = (call) => {
  const { args, shell, state, stdin } = call
  const read = readArguments(args, ['f', 'file', 'makefile', 'C', 'directory', 'j', 'eval', 'I'])
  const texts = valuesOf(read, 'eval')
  for (const file of valuesOf(read, 'f', 'file', 'makefile')) {
    if (file !== '-') shell.read(file)
    const content = file === '-' ? stdin : contentFor(call, file)
    if (content !== undefined && content !== '') texts.push(content)
  }
  for (const text of texts) {
    if (!isPlain(text)) {
      runCode(call, text, '', state)
      continue
    }
    for (const line of text.split(/\r?\n/)) {
      const recipe =
        /^\t[@+-]*(.*)/s.exec(line)?.[1] ?? /^[^\t#=:]*:[^=;]*;[@+-]*(.*)/s.exec(line)?.[1]
      if (recipe !== undefined) shell.runText(recipe.replaceAll('$$', '$'), '', state)
      const closed = line.slice(0, line.lastIndexOf(')') + 1)
      for (const [, command = ''] of closed.matchAll(/\$\(shell ([^)]*)\)/g)) {
        shell.runText(command, '', state)
      }
    }
  }
  runUnknown({ ...call, args: read.operands })
  return MARK.unknown
}

export const MAKE_PROGRAMS: Record<string, Program> = { make, gmake: make }
