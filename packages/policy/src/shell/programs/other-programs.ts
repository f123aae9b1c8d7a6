import { isPlain, MARK } from '../marks.ts'
import { type Program, readArguments, valuesOf } from '../program.ts'
import { runCode } from './run-code.ts'

const kill: Program = ({ args, shell }) => {
  const targets = args.filter((arg, n) => n > 0 || !/^-([A-Z]|\d|s$)/.test(arg))
  const all = targets.some(
    (arg, n) => arg === '-1' && (n > 0 || args.length > 1 || targets.length === 1),
  )
  if (all && args.length > 1) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:kill-all',
      verdict: 'deny',
      reason: 'kill -1 ends every process of this user',
    })
  }
  return ''
}

/** Text that is typed into another terminal, or left for later, runs there. */
const typeElsewhere: Program = (call) => {
  const { args, state } = call
  const at = args.findIndex((arg) =>
    /^(send-keys|send|new|new-session|new-window|stuff|split-window|run-shell)$/.test(arg),
  )
  if (at === -1) return ''
  const words = args
    .slice(at + 1)
    .filter((arg, n, all) => !/^-|^(Enter|C-m)$/.test(arg) && !/^-[tsncx]$/.test(all[n - 1] ?? ''))
  if (words.length > 0) runCode(call, words.join(' '), '', state)
  return ''
}

const later: Program = (call) => {
  const { name, stdin, state, shell, args } = call
  if (name === 'crontab') {
    const [file] = readArguments(args, ['u']).operands
    if (file !== undefined && file !== '-') shell.read(file)
    if (stdin !== '' && isPlain(stdin)) {
      for (const line of stdin.split('\n')) {
        const command = /^\s*(?:@\w+|(?:\S+\s+){5})\s*(.+)$/.exec(line)?.[1]
        if (command !== undefined && !line.trim().startsWith('#')) runCode(call, command, '', state)
      }
    }
    return MARK.unknown
  }
  if (stdin !== '') runCode(call, stdin, '', state)
  return ''
}

const openssl: Program = ({ args, shell, stdin }) => {
  args.forEach((arg, n) => {
    if (/^-(in|inkey|key|CAkey|certfile)$/.test(arg)) shell.read(args[n + 1] ?? '')
    if (/^-(out|keyout)$/.test(arg)) shell.write(args[n + 1] ?? '', { gentle: arg === '-keyout' })
  })
  return args.includes('-d')
    ? stdin.includes(MARK.remote)
      ? MARK.remote
      : MARK.decoded
    : MARK.unknown
}

/** Uses keys without showing them. */
const useKey: Program = ({ name, shell }) => {
  if (name !== 'ssh-add') shell.emit({ kind: 'network', program: name, target: '', sends: false })
  return ''
}

const makeKey: Program = ({ args, shell }) => {
  const read = readArguments(args, [
    'f',
    't',
    'b',
    'C',
    'N',
    'P',
    'R',
    'F',
    'l',
    'E',
    'm',
    'O',
    'i',
  ])
  const shows = args.some((arg) => /^-[ylFR]$/.test(arg))
  for (const path of valuesOf(read, 'f')) shows ? shell.read(path) : shell.write(path)
  return MARK.unknown
}

export const OTHER_PROGRAMS: Record<string, Program> = {
  kill,
  tmux: typeElsewhere,
  screen: typeElsewhere,
  crontab: later,
  at: later,
  batch: later,
  openssl,
  'ssh-add': useKey,
  'ssh-copy-id': useKey,
  'ssh-keygen': makeKey,
}
