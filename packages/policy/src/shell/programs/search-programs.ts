import { MARK, markClasses } from '../marks.ts'
import type { Call, Program } from '../program.ts'

const STARTS_EXPRESSION = /^[-(!]/
const ACTION_WITH_COMMAND = new Set(['-exec', '-execdir', '-ok', '-okdir'])

const find: Program = (call) => {
  const { args, shell } = call
  const rest = args.filter((arg) => !/^-(?:[HLPE]|O\d|D)$/.test(arg))
  const at = rest.findIndex((arg) => STARTS_EXPRESSION.test(arg))
  const roots = rest.slice(0, at === -1 ? rest.length : at)
  const expression = at === -1 ? [] : rest.slice(at)
  const bases = roots.length === 0 ? ['.'] : roots
  const found = bases.map((base) => describeFound(base, expression))
  for (const base of bases) shell.read(base)
  for (let n = 0; n < expression.length; n += 1) {
    const word = expression[n] ?? ''
    if (word === '-delete') removeFound(call, bases, found)
    if (/^-f(print|printf|ls|print0)$/.test(word)) shell.write(expression[n + 1] ?? '')
    if (!ACTION_WITH_COMMAND.has(word)) continue
    const end = expression.findIndex((each, m) => m > n && (each === ';' || each === '+'))
    const command = expression.slice(n + 1, end === -1 ? undefined : end)
    for (const path of found) runFor(call, command, path)
    n = end === -1 ? expression.length : end
  }
  return found.join('\n')
}

/** The matches of `find`: everything below the base, or the given name. */
const describeFound = (base: string, expression: readonly string[]): string => {
  const at = expression.findIndex((word) => word === '-name' || word === '-iname')
  const isNegated = at > 0 && /^(!|-not)$/.test(expression[at - 1] ?? '')
  const hasChoice = expression.some((word) => word === '-o' || word === '-or')
  const name = at === -1 || isNegated || hasChoice ? undefined : expression[at + 1]
  const root = base.replace(/(?<!\/)\/+$/, '')
  if (name === undefined) {
    // A test that cannot be evaluated here (age, size) excludes some matches.
    const isNarrowed = expression.some((word) => TESTS.test(word)) && !hasChoice
    return isNarrowed ? `${root}/${MARK.deep}/${MARK.segment}` : `${root}/${MARK.deep}`
  }
  const glob = markClasses(name.replaceAll('*', MARK.star), /([^\]]*)(\]|$)/g)
  return `${root}/${MARK.deep}/${glob}`
}

const TESTS =
  /^-(name|iname|path|ipath|wholename|regex|iregex|mtime|atime|ctime|mmin|amin|cmin|size|empty|newer\w*|user|group|perm|samefile|inum|links|lname)$/

const removeFound = (
  { args, shell }: Call,
  bases: readonly string[],
  found: readonly string[],
): void => {
  // Without a test, everything is deleted.
  const isNarrowed = args.some((word) => TESTS.test(word))
  if (!isNarrowed) for (const base of bases) shell.remove(base, { recursive: true })
  for (const path of found) shell.remove(path)
}

const runFor = ({ shell, state }: Call, command: readonly string[], path: string): void => {
  shell.run(
    command.map((word) => word.replaceAll('{}', path)),
    '',
    state,
  )
}

const XARGS_VALUED =
  /^(-[nPLsdEaI]|--max-args|--max-procs|--max-lines|--delimiter|--arg-file|--replace)$/

const xargs: Program = (call) => {
  const { args, shell, state, stdin } = call
  let at = 0
  let replace: string | undefined
  for (; at < args.length && args[at]?.startsWith('-'); at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      at += 1
      break
    }
    if (/^-I./.test(arg)) replace = arg.slice(2)
    if (arg === '-i' || arg === '--replace') replace = '{}'
    if (/^(-a|--arg-file)$/.test(arg)) shell.read(args[at + 1] ?? '')
    if (arg === '-I') replace = args[at + 1]
    if (XARGS_VALUED.test(arg) && arg !== '--replace') at += 1
  }
  const command = args.slice(at)
  if (command.length === 0) return stdin
  // With a placeholder, each line is one item.
  const ends = replace === undefined ? /[\s\0]+/ : /[\n\0]+/
  const given = stdin.split(ends).filter((item) => item !== '')
  const items = given.length === 0 ? [MARK.unknown] : given.slice(0, 64)
  if (replace === undefined) return shell.run([...command, ...items], '', state)
  const mark = replace
  return items
    .map((item) =>
      shell.run(
        command.map((word) => word.replaceAll(mark, item)),
        '',
        state,
      ),
    )
    .join('\n')
}

const parallel: Program = (call) => {
  const { args, shell, state, stdin } = call
  const at = args.findIndex((arg) => arg.startsWith(':::'))
  const given = at === -1 ? stdin.split('\n').filter((item) => item !== '') : args.slice(at + 1)
  const items = given.length === 0 ? [MARK.unknown] : given.slice(0, 64)
  const words = args.slice(0, at === -1 ? undefined : at)
  const start = words.findIndex(
    (arg, n) => !arg.startsWith('-') && !/^-[jnNdI]$/.test(words[n - 1] ?? ''),
  )
  const command = start === -1 ? [] : words.slice(start)
  const text = command.join(' ')
  if (text === '') {
    return items.map((item) => shell.runText(item, '', state)).join('\n')
  }
  return items
    .map((item) => {
      const line = /\{[^{}]*\}/.test(text) ? text.replace(/\{[^{}]*\}/g, item) : `${text} ${item}`
      return shell.runText(line, '', state)
    })
    .join('\n')
}

/** Programs that run others on their matches or their input. */
export const SEARCH_PROGRAMS: Record<string, Program> = {
  find,
  gfind: find,
  xargs,
  gxargs: xargs,
  parallel,
}
