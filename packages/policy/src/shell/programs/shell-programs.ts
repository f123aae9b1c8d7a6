import { computes } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import { type Call, type Program, readArguments } from '../program.ts'
import { copyState } from '../shell-state.ts'
import { contentFor } from './read-operands.ts'
import { runCode } from './run-code.ts'
import { reportShown, SECRET_NAME } from './shown-secrets.ts'

const shellProgram: Program = (call) => {
  const { args, stdin, shell, state } = call
  const inner = copyState(state)
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (/^-[a-zA-Z]*c$/.test(arg)) {
      const rest = args.slice(at + 1).filter((_, n, all) => n > 0 || !/^[-+]/.test(all[0] ?? ''))
      const [text = '', , ...parameters] = rest
      // Nushell marks programs of the system.
      const plain = call.name === 'nu' ? text.replace(/(^|[;|]\s*)\^/g, '$1') : text
      return runCode(call, plain, stdin, inner, parameters)
    }
    if (/^(--rcfile|--init-file|-o|-O|\+O|\+o)$/.test(arg)) {
      if (arg.startsWith('--')) shell.read(args[at + 1] ?? '')
      at += 1
    } else if (arg === '-s' || arg === '-') break
    else if (!arg.startsWith('-') && !arg.startsWith('+')) {
      return runFile({ ...call, state: inner }, arg, args.slice(at + 1))
    }
  }
  return stdin === '' ? '' : runCode(call, stdin, '', inner)
}

/** A script file: what earlier parts put into it, or something that is on the disk already. */
const runFile = (call: Call, path: string, parameters: readonly string[]): string => {
  const { shell, state, stdin } = call
  shell.read(path)
  const content = contentFor(call, path)
  if (content === undefined) return MARK.unknown
  return runCode(call, content, stdin, state, [...parameters])
}

const evaluate: Program = (call) => runCode(call, call.args.join(' '), call.stdin, call.state)

const source: Program = (call) => {
  const [path, ...parameters] = call.args
  return path === undefined ? '' : runFile(call, path, parameters)
}

const changeDirectory: Program = ({ args, state }) => {
  const [target] = readArguments(args).operands
  const next = target === undefined ? ['~'] : target === '-' ? state.previous : [target]
  moveTo(state, next)
  return ''
}

const pushDirectory: Program = ({ args, state }) => {
  state.stack.push(state.directories)
  moveTo(state, args.slice(0, 1))
  return ''
}

const popDirectory: Program = ({ state }) => {
  const last = state.stack.pop()
  state.directories = last ?? [MARK.unknown]
  return ''
}

/** Relative directories stay as given: the walker makes them absolute when it uses them. */
const moveTo = (state: Call['state'], targets: readonly string[]): void => {
  const before = state.directories
  state.directories = before.flatMap((directory) =>
    targets.map((target) => (/^[/~\uE003]/.test(target) ? target : `${directory}/${target}`)),
  )
  state.previous = before
}

/** Names that the shell computes may hold commands: `a[$(…)]`. */
const evaluateAll = ({ args, shell }: Call): void => {
  for (const arg of args) if (computes(arg)) shell.evaluate(arg)
}

const read: Program = (call) => {
  const { args, stdin, state } = call
  evaluateAll(call)
  const { operands } = readArguments(args, ['p', 'd', 'n', 't', 'u', 'i', 'N', 'k'])
  const lines = stdin === '' ? [MARK.unknown] : stdin.split('\n').filter((line) => line !== '')
  const names = operands.length === 0 ? ['REPLY'] : operands
  names.forEach((name, n) => {
    const values = lines.map((line) =>
      names.length === 1 ? line : (line.split(/\s+/)[n] ?? MARK.unknown),
    )
    state.variables.set(name, values.length > 8 ? [MARK.unknown] : values)
  })
  return ''
}

const readArray: Program = (call) => {
  const { args, stdin, state } = call
  evaluateAll(call)
  const name = readArguments(args, ['d', 'n', 'O', 's', 'u', 'C', 'c']).operands[0] ?? 'MAPFILE'
  state.variables.set(name, [stdin === '' ? MARK.unknown : stdin])
  return ''
}

const alias: Program = ({ args, state }) => {
  for (const arg of args) {
    const at = arg.indexOf('=')
    if (at > 0) state.aliases.set(arg.slice(0, at), arg.slice(at + 1))
  }
  return ''
}

const unset: Program = (call) => {
  const { args, state } = call
  evaluateAll(call)
  for (const name of args) state.variables.set(name, [''])
  return ''
}

const setOptions: Program = ({ args, state }) => {
  if (args.length === 0) return MARK.secret
  const at = args.indexOf('--')
  if (at !== -1) state.parameters = [...args.slice(at + 1)]
  return ''
}

const shift: Program = ({ state }) => {
  state.parameters = state.parameters?.slice(1)
  return ''
}

const trap: Program = (call) => {
  const [text] = call.args
  if (text !== undefined && !text.startsWith('-')) {
    runCode(call, text, '', copyState(call.state))
  }
  return ''
}

const declare: Program = (call) => {
  const { args } = call
  evaluateAll(call)
  const prints = args.every((arg) => /^-[a-zA-Z]*$/.test(arg)) && !/[fF]/.test(args.join(''))
  if (!prints || !(args.length === 0 || /[px]/.test(args.join('')))) return ''
  if (args.length > 0) reportShown(call)
  return MARK.secret
}

const compute: Program = (call) => {
  evaluateAll(call)
  return ''
}

/** `-v NAME` looks a name up, which computes it. */
const test: Program = (call) => {
  const at = call.args.indexOf('-v')
  const name = call.args[at + 1] ?? ''
  if (at !== -1 && computes(name)) call.shell.evaluate(name)
  return ''
}

const complete: Program = (call) => {
  if (!call.args.some((arg) => /^-\w*[ev]$|^(export|variable)$/.test(arg))) return MARK.unknown
  if (call.args.some((arg) => SECRET_NAME.test(arg))) reportShown(call)
  return MARK.secret
}

/** What the shell does itself. */
export const SHELL_PROGRAMS: Record<string, Program> = {
  ...Object.fromEntries(
    [
      'sh',
      'bash',
      'zsh',
      'dash',
      'ksh',
      'mksh',
      'ash',
      'fish',
      'csh',
      'tcsh',
      'rbash',
      'yash',
      'osh',
      'elvish',
      'xonsh',
      'nu',
    ].map((name) => [name, shellProgram]),
  ),
  eval: evaluate,
  source,
  '.': source,
  cd: changeDirectory,
  chdir: changeDirectory,
  pushd: pushDirectory,
  popd: popDirectory,
  read,
  mapfile: readArray,
  readarray: readArray,
  alias,
  unalias: () => '',
  unset,
  let: compute,
  test,
  '[': test,
  compgen: complete,
  set: setOptions,
  shift,
  trap,
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  shopt: () => '',
  ulimit: () => '',
  umask: () => '',
  hash: () => '',
  jobs: () => '',
  fg: () => '',
  bg: () => '',
  disown: () => '',
}

export const isShell = (name: string): boolean => SHELL_PROGRAMS[name] === shellProgram
