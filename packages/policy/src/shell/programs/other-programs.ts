import { isPlain, MARK } from '../marks.ts'
import { type Program, readArguments, valuesGiven, valuesOf } from '../program.ts'
import { copyState } from '../shell-state.ts'
import { contentFor, reshaped } from './read-operands.ts'
import { runCode } from './run-code.ts'
import { runUnknown } from './run-unknown.ts'
import { findRunner, splitWrapped } from './wrapper-programs.ts'

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

/** Text that is typed into another terminal or scheduled for later runs there. */
const typeElsewhere: Program = (call) => {
  const { name, args, shell, state } = call
  // `screen -dmS name command` runs the command at once.
  if (name === 'screen' && !args.includes('-X')) {
    const { command } = splitWrapped(args, ['S', 'c', 'e', 'h', 's', 't', 'T', 'p', 'L'], 0)
    if (command.length > 0) shell.run(command, '', state)
    return ''
  }
  const at = args.findIndex((arg) =>
    /^(send-keys|send|new|new-session|new-window|stuff|split-window|run-shell|run|respawn-pane|respawn-window|pipe-pane|if-shell|display-popup|popup)$/.test(
      arg,
    ),
  )
  if (at === -1) return ''
  if (/^(new|new-session|new-window|split-window)$/.test(args[at] ?? '')) {
    const valued = ['s', 'n', 't', 'c', 'x', 'y', 'e', 'F', 'l', 'p']
    const { command } = splitWrapped(args.slice(at + 1), valued, 0)
    if (command.length === 1) runCode(call, command[0] ?? '', '', state)
    else if (command.length > 1) shell.run(command, '', state)
    return ''
  }
  const words = args
    .slice(at + 1)
    .filter((arg, n, all) => !/^-|^(Enter|C-m)$/.test(arg) && !/^-[tsncx]$/.test(all[n - 1] ?? ''))
  if (words.length > 0) runCode(call, words.join(' '), '', state)
  for (const word of words) if (/\s/.test(word)) runCode(call, word, '', state)
  return ''
}

const later: Program = (call) => {
  const { name, stdin, state, shell, args } = call
  if (name === 'crontab') {
    const [file] = readArguments(args, ['u']).operands
    if (file !== undefined && file !== '-') shell.read(file)
    const table = file === undefined || file === '-' ? stdin : (contentFor(call, file) ?? '')
    if (table !== '') {
      for (const line of table.split('\n').filter(isPlain)) {
        const command = /^\s*(?:@\w+|(?:\S+\s+){5})\s*(.+)$/.exec(line)?.[1]
        if (command !== undefined && !line.trim().startsWith('#')) runCode(call, command, '', state)
      }
    }
    return MARK.unknown
  }
  const jobs = valuesGiven(args, ['-f']).map((file) => contentFor(call, file) ?? '')
  for (const text of [stdin, ...jobs]) if (text !== '') runCode(call, text, '', state)
  return ''
}

/**
 * The module `file` deletes paths with the state `absent`; other modules run their argument
 * (run-options.ts).
 */
const ansible: Program = (call) => {
  for (const text of valuesGiven(call.args, ['-a', '--args'])) {
    const path = /\b(?:path|dest|name)=(\S+)/.exec(text)?.[1]
    if (path !== undefined && /\bstate=absent\b/.test(text))
      call.shell.remove(path, { recursive: true })
  }
  return runUnknown(call)
}

const openssl: Program = ({ args, shell, stdin }) => {
  args.forEach((arg, n) => {
    if (/^-(in|inkey|key|CAkey|certfile|sign|prverify)$/.test(arg)) shell.read(args[n + 1] ?? '')
    if (/^-(out|keyout)$/.test(arg)) shell.write(args[n + 1] ?? '', { gentle: arg === '-keyout' })
  })
  return args.includes('-d')
    ? stdin.includes(MARK.remote)
      ? MARK.remote
      : MARK.decoded
    : reshaped(stdin)
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

/** The keys of a key-value store look like paths but are not. */
const keyValue: Program = () => MARK.unknown

/** `npm pkg set scripts.x=command` is run by the next `npm run x` or `npm install`. */
const npm: Program = (call) => {
  const { name, args, state } = call
  const at = args.indexOf('pkg')
  if (at !== -1 && args[at + 1] === 'set') {
    for (const arg of args) {
      const text = /^scripts[.[][\w'":.-]+\]?=(.+)$/s.exec(arg)?.[1]
      if (text !== undefined) runCode(call, text, '', copyState(state))
    }
  }
  // Scripts that the command line itself writes to package.json.
  const scripts = /"scripts"\s*:\s*\{([^}]*)\}/.exec(
    call.shell.contentOf('package.json') ?? '',
  )?.[1]
  for (const [, text = ''] of (scripts ?? '').matchAll(/:\s*"((?:[^"\\]|\\.)*)"/g))
    runCode(call, text, '', copyState(state))
  const runner = findRunner(name, args)
  if (runner?.text !== undefined) return runCode(call, runner.text, call.stdin, state)
  if (runner !== undefined && runner.command.length > 0)
    return call.shell.run(runner.command, call.stdin, state)
  return runUnknown(call)
}

/** `just --justfile x` with recipes that the command line itself provides. */
const just: Program = (call) => {
  for (const file of valuesGiven(call.args, ['-f', '--justfile', '-t', '--taskfile'])) {
    call.shell.read(file)
    for (const line of (contentFor(call, file) ?? '').split('\n')) {
      const recipe = /^\s+[@-]*(\S.*)/s.exec(line)?.[1]
      if (recipe !== undefined) runCode(call, recipe, '', copyState(call.state))
    }
  }
  return runUnknown(call)
}

export const OTHER_PROGRAMS: Record<string, Program> = {
  kill,
  ansible,
  npm,
  pnpm: npm,
  yarn: npm,
  just,
  task: just,
  etcdctl: keyValue,
  consul: keyValue,
  zkCli: keyValue,
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
