import { isPlain, MARK } from '../marks.ts'
import { hasFlag, type Program, readArguments, valuesOf } from '../program.ts'
import { reshaped } from './read-operands.ts'
import { reportShown, SECRET_NAME } from './shown-secrets.ts'

const COMMON = 'e regexp f file A B C m include exclude exclude-dir max-count max-depth d context'
const OTHERS = 'E g glob t type T j iglob'

const valuedOf = (name: string): string[] =>
  (/grep$/.test(name) ? COMMON : `${COMMON} ${OTHERS}`).split(' ')

/** The first operand is what to look for. */
const search: Program = (call) => {
  const { name, args, shell, stdin } = call
  const read = readArguments(args, valuedOf(name))
  const hasPattern = hasFlag(read, 'e', 'regexp', 'f', 'file') || hasFlag(read, 'files')
  const paths = hasPattern ? read.operands : read.operands.slice(1)
  const recursive = !/grep$/.test(name) || hasFlag(read, 'r', 'R', 'recursive')
  for (const path of [...paths, ...valuesOf(read, 'f', 'file')]) shell.read(path, { recursive })
  const sought = [
    ...valuesOf(read, 'e', 'regexp'),
    ...(hasPattern ? [] : read.operands.slice(0, 1)),
  ]
  const inverts = hasFlag(read, 'v', 'invert-match')
  if (stdin.includes(MARK.secret) && !inverts && sought.some((text) => SECRET_NAME.test(text)))
    reportShown(call)
  if (hasFlag(read, 'l', 'files-with-matches', 'files', 'L')) {
    const bases = paths.length === 0 ? ['.'] : paths
    return bases.map((base) => (recursive ? `${base}/${MARK.deep}` : base)).join('\n')
  }
  return stdin !== '' && paths.length === 0 && isPlain(stdin) ? stdin : reshaped(stdin)
}

/** Programs that look for text in files. */
export const GREP_PROGRAMS: Record<string, Program> = Object.fromEntries(
  ['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack'].map((name) => [name, search]),
)
