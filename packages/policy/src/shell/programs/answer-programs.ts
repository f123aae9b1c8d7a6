import { MARK } from '../marks.ts'
import { type Program, readArguments, valuesGiven } from '../program.ts'
import { reportShown } from './shown-secrets.ts'

const baseName: Program = ({ args }) => {
  const [path = '', suffix = ''] = readArguments(args, ['s']).operands
  const name =
    path
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) ?? ''
  return suffix !== '' && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

const directoryName: Program = ({ args }) => {
  const [path = ''] = readArguments(args).operands
  const whole = path.replace(/(?<!\/)\/+$/, '')
  const cut = whole.slice(0, Math.max(whole.lastIndexOf('/'), 0))
  return cut === '' ? (path.startsWith('/') ? '/' : '.') : cut
}

const temporary: Program = ({ args, shell }) => {
  const [template] = readArguments(args, ['p', 'tmpdir', 't', 'suffix']).operands
  if (template?.includes('/')) {
    shell.write(template, { gentle: true })
    return template.replace(/(?<!X)X+$/, MARK.segment)
  }
  return `/tmp/tmp.${MARK.segment}`
}

const real: Program = ({ args }) => readArguments(args, ['relative-to']).operands.join('\n')

const oneWord: Program = () => MARK.segment

const askDate: Program = (call) => {
  for (const path of valuesGiven(call.args, ['-f', '--file', '-r', '--reference']))
    call.shell.read(path, { mention: true })
  return MARK.segment
}

/** The letter `e` without a dash shows the environment of every process. */
const listProcesses: Program = (call) => {
  if (!/^[a-df-zA-Z]*e[a-zA-Z]*$/.test(call.args[0] ?? '')) return MARK.unknown
  reportShown(call)
  return MARK.secret
}
const where: Program = ({ args }) => args.filter((arg) => !arg.startsWith('-')).join('\n')
const workingDirectory: Program = ({ state }) => state.directories.join('\n')
const nothing: Program = () => ''

const printEnvironment: Program = ({ args }) => (args.length === 0 ? MARK.secret : MARK.unknown)

/**
 * Prints settings for the shell that started it; they come from an installed program and are
 * trusted.
 */
const initShell: Program = ({ args }) =>
  args.some((arg) => /^(-s|-c|init|hook|env|shellenv|activate|shell\.\w+|shell)$/.test(arg))
    ? ''
    : MARK.unknown

const named = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]))

/** Programs that print a name, a number or nothing. */
export const ANSWER_PROGRAMS: Record<string, Program> = {
  ...named(
    'ssh-agent starship zoxide dircolors pyenv rbenv nodenv jenv goenv fnm brew atuin',
    initShell,
  ),
  date: askDate,
  ps: listProcesses,
  ...named('whoami hostname uname nproc id seq arch uuidgen sw_vers getconf logname tty', oneWord),
  ...named('sleep true false : exit return break continue wait say logger notify-send', nothing),
  basename: baseName,
  dirname: directoryName,
  mktemp: temporary,
  realpath: real,
  readlink: real,
  pwd: workingDirectory,
  which: where,
  type: where,
  whereis: where,
  printenv: printEnvironment,
}
