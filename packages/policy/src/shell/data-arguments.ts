import { splitGit } from './programs/git-program.ts'

const SAYS = new Set([
  'echo',
  'printf',
  'print',
  'say',
  'logger',
  'notify-send',
  'test',
  '[',
  ':',
  'true',
])
const SEARCHES = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack', 'jq', 'yq', 'look'])
const MESSAGE =
  /^(-\w*m|--message|--title|--body|-t|-b|--notes|--subject|--description|--grep|-S|-G|--author|-F)$/
const MESSAGE_WITH_VALUE =
  /^(--message=|--title=|--body=|--notes=|--subject=|--description=|--grep=|-m.)/
const DATA = /^(-d|--data|--data-raw|--data-binary|--json|-H|--header|-F|--form|-A|--user-agent)$/

/**
 * The arguments that are only said, sought or sent: a pattern that matches nothing but such text has
 * found no command. Indexes count from the program's name as 0.
 */
export const findDataArguments = (argv: readonly string[]): Set<number> => {
  const [program = '', ...args] = argv
  const name = program.split('/').at(-1) ?? ''
  const indexes = (isData: (arg: string, n: number) => boolean): Set<number> =>
    new Set(args.flatMap((arg, n) => (isData(arg, n) ? [n + 1] : [])))
  if (SAYS.has(name)) return indexes(() => true)
  if (SEARCHES.has(name)) {
    const first = args.findIndex((arg) => !arg.startsWith('-'))
    return indexes((_, n) => n === first || /^(-e|--regexp)$/.test(args[n - 1] ?? ''))
  }
  if (name === 'curl') return indexes((_, n) => DATA.test(args[n - 1] ?? ''))
  if (name === 'git') {
    const sub = splitGit(args).rest[0] ?? ''
    if (!/^(commit|tag|log|stash|notes|merge|show|branch|grep|revert)$/.test(sub)) return new Set()
    return indexes((arg, n) => MESSAGE.test(args[n - 1] ?? '') || MESSAGE_WITH_VALUE.test(arg))
  }
  if (name === 'gh' || name === 'glab' || name === 'jj' || name === 'steward') {
    return indexes((arg, n) => /\s/.test(arg) || MESSAGE.test(args[n - 1] ?? ''))
  }
  return new Set()
}
