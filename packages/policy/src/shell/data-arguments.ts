import { splitGlobals } from './sub-command.ts'

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
/** Programs whose first operand is a search pattern, or a script that is judged by its effects. */
const SEARCHES = new Set(
  'grep egrep fgrep zgrep rg ag ack jq yq look sed gsed awk gawk mawk nawk fd fdfind'.split(' '),
)
const SECRET_VARIABLE =
  /\$(?:\{\w*|\w*)(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY)\w*(?:\}|\b)/i
const MESSAGE =
  /^(-\w*m|--message|--title|--body|-t|-b|--notes|--subject|--description|--grep|-S|-G|--author|-F)$/
const MESSAGE_WITH_VALUE =
  /^(--message=|--title=|--body=|--notes=|--subject=|--description=|--grep=|-m.)/
const DATA = /^(-d|--data|--data-raw|--data-binary|--json|-H|--header|-F|--form|-A|--user-agent)$/

/**
 * The arguments that are only printed, searched for or sent: a pattern that matches only such text
 * has found no command. Indexes start at 0 with the program's name.
 */
export const findDataArguments = (argv: readonly string[]): Set<number> => {
  const [program = '', ...args] = argv
  const name = program.split('/').at(-1) ?? ''
  const indexes = (isData: (arg: string, n: number) => boolean): Set<number> =>
    new Set(args.flatMap((arg, n) => (isData(arg, n) ? [n + 1] : [])))
  // Printing a variable that contains a secret is not harmless.
  if (SAYS.has(name)) return indexes((arg) => !SECRET_VARIABLE.test(arg))
  if (SEARCHES.has(name)) {
    const first = args.findIndex((arg) => !arg.startsWith('-'))
    return indexes((_, n) => n === first || /^(-e|--regexp|--expression)$/.test(args[n - 1] ?? ''))
  }
  if (name === 'curl') return indexes((_, n) => DATA.test(args[n - 1] ?? ''))
  if (name === 'git') {
    const { globals, rest } = splitGlobals('git', args)
    const [sub = ''] = rest
    const sought = sub === 'grep' ? rest.findIndex((arg, n) => n > 0 && !arg.startsWith('-')) : -1
    const at = sought === -1 ? -1 : globals.length + sought
    if (!/^(commit|tag|log|stash|notes|merge|show|branch|grep|revert)$/.test(sub)) return new Set()
    return indexes(
      (arg, n) => n === at || MESSAGE.test(args[n - 1] ?? '') || MESSAGE_WITH_VALUE.test(arg),
    )
  }
  if (/^(gh|glab|jj|steward|claude|codex|gemini|opencode|linear|slack|tmux-notify)$/.test(name)) {
    return indexes((arg, n) => /\s/.test(arg) || MESSAGE.test(args[n - 1] ?? ''))
  }
  return new Set()
}
