import { checkAssignment } from '../check-assignment.ts'
import { MARK } from '../marks.ts'
import {
  type Call,
  hasFlag,
  type Program,
  readArguments,
  valuesGiven,
  valuesOf,
} from '../program.ts'
import { runCode } from './run-code.ts'

interface Wrapper {
  /** Options that take a value. */
  valued?: string[]
  /** Operands before the program. */
  skips?: number
  /** Options whose value is a command line. */
  commands?: string[]
}

const WRAPPERS: Record<string, Wrapper> = {
  command: {},
  builtin: {},
  exec: { valued: ['a'] },
  nohup: {},
  time: { valued: ['f', 'o'] },
  gtime: { valued: ['f', 'o'] },
  nice: { valued: ['n', 'adjustment'] },
  ionice: { valued: ['c', 'n', 'p'] },
  chrt: { skips: 1 },
  taskset: { skips: 1, valued: ['p'] },
  stdbuf: { valued: ['i', 'o', 'e'] },
  unbuffer: {},
  setsid: {},
  caffeinate: { valued: ['t', 'w'] },
  timeout: { skips: 1, valued: ['s', 'signal', 'k', 'kill-after'] },
  gtimeout: { skips: 1, valued: ['s', 'signal', 'k', 'kill-after'] },
  watch: { valued: ['n', 'interval'] },
  strace: { valued: ['e', 'o', 'p', 's'] },
  ltrace: { valued: ['e', 'o', 'p'] },
  flock: { skips: 1, valued: ['w', 'E'], commands: ['c'] },
  script: { skips: 1, valued: ['o', 'm', 'B', 'E', 'I', 'O', 'T'], commands: ['c', 'command'] },
  busybox: {},
  toybox: {},
  chroot: { skips: 1 },
  unshare: { valued: ['S', 'G'] },
  proot: { valued: ['r', 'b', 'w'] },
  faketime: { skips: 1 },
  'xvfb-run': { valued: ['s', 'n'] },
  npx: { valued: ['p', 'package'], commands: ['c', 'call'] },
  bunx: {},
  shx: {},
  uvx: {},
  pipx: { skips: 1 },
  doas: { valued: ['u', 'C'] },
  sudo: {
    valued: ['u', 'user', 'g', 'group', 'h', 'host', 'p', 'prompt', 'C', 'r', 't', 'T', 'D', 'R'],
  },
  pkexec: { valued: ['user'] },
  su: { commands: ['c', 'command'] },
  runuser: { valued: ['u', 'g'], commands: ['c', 'command'] },
  'systemd-run': { valued: ['unit', 'u', 'p', 'property', 'uid'] },
  sshpass: { valued: ['p', 'f', 'e'] },
  nsenter: { valued: ['t', 'target', 'S', 'G'] },
  fakeroot: {},
  torsocks: {},
  proxychains: { valued: ['f'] },
  proxychains4: { valued: ['f'] },
  firejail: {},
  gosu: { skips: 1 },
  'su-exec': { skips: 1 },
  tini: {},
  'dumb-init': {},
  rlwrap: {},
  cpulimit: { valued: ['l', 'p', 'e'] },
  prlimit: {},
  'dbus-run-session': {},
  'systemd-inhibit': {},
  entr: {},
  dotenv: { valued: ['e'] },
  linux32: {},
  linux64: {},
  setarch: { skips: 1 },
  setpriv: { valued: ['reuid', 'regid', 'groups', 'securebits'] },
  valgrind: {},
  heaptrack: {},
  rr: { skips: 1 },
  perf: { skips: 1, valued: ['e', 'o', 'F', 'p', 'r'] },
  watchexec: { valued: ['e', 'exts', 'w', 'watch', 'f', 'filter', 'i', 'ignore', 'd', 'debounce'] },
  'gnome-terminal': { valued: ['title', 'e', 'command'] },
  xterm: { valued: ['title', 'T', 'geometry', 'fn', 'bg', 'fg'] },
  ifne: {},
  chronic: {},
  setuidgid: { skips: 1 },
  chpst: { valued: ['u', 'U', 'e', 'd', 'o', 'p', 'f', 'c', 'r', 't', 'm', '/', 'n'] },
  daemonize: { valued: ['p', 'o', 'e', 'c', 'u', 'l', 'E'] },
  bwrap: { valued: ['bind', 'ro-bind', 'dev', 'proc', 'tmpfs', 'chdir'] },
  numactl: { valued: ['N', 'm', 'C', 'i'] },
  sem: { valued: ['j', 'id'] },
  coproc: {},
  noglob: {},
  nocorrect: {},
  'cross-env': {},
}

const PRIVILEGED = new Set(['sudo', 'doas', 'pkexec', 'su', 'runuser'])

const ARCHITECTURE = /^(x86_64|amd64|i\d86|linux\d*|aarch64|arm\w*|ppc\w*|s390\w*|uname26)$/

const wrap: Program = (call) => {
  const { name, args, shell, state, stdin } = call
  const { valued = [], skips = 0, commands = [] } = WRAPPERS[name] ?? {}
  if (PRIVILEGED.has(name)) shell.emit({ kind: 'privilege', program: name })
  if (name === 'command' && /^-[vV]/.test(args[0] ?? '')) return args.slice(1).join('\n')
  if (name === 'dotenv') for (const path of valuesGiven(args, ['-e'])) shell.read(path)
  // The architecture may be left out.
  const isBare = name === 'setarch' && !args.some((arg) => ARCHITECTURE.test(arg))
  const split = splitWrapped(args, [...valued, ...commands], isBare ? 0 : skips)
  const given = readArguments(split.options, [...valued, ...commands])
  for (const option of commands) {
    for (const text of given.values.get(option) ?? []) runCode(call, text, stdin, state)
  }
  const [program] = split.command
  if (program === undefined) return ''
  if (name === 'watch' || (name === 'entr' && hasFlag(given, 's')))
    return runCode(call, split.command.join(' '), stdin, state)
  // One word with blanks in it is a command line.
  if (split.command.length === 1 && /\s/.test(program)) return runCode(call, program, stdin, state)
  if (name === 'su' || name === 'runuser') return runSwitched(call, split.command)
  return shell.run(split.command, stdin, state)
}

/** `su user -c 'text'`: the option may stand after the name. */
const runSwitched = (call: Call, rest: readonly string[]): string => {
  const at = rest.findIndex((arg) => arg === '-c' || arg === '--command')
  const text = at === -1 ? undefined : rest[at + 1]
  return text === undefined ? '' : runCode(call, text, call.stdin, call.state)
}

/** The wrapper's own arguments, and the command behind them. */
export const splitWrapped = (
  args: readonly string[],
  valued: readonly string[],
  skips: number,
): { options: string[]; command: string[] } => {
  let at = 0
  while (at < args.length && /^-/.test(args[at] ?? '')) {
    const arg = args[at] ?? ''
    at += 1
    if (arg === '--') break
    const name = arg.replace(/^--?/, '')
    if (valued.includes(name) || (/^-\w+$/.test(arg) && valued.includes(arg.at(-1) ?? ''))) at += 1
  }
  at += skips
  // `aws-vault exec profile -- command`.
  if (skips > 0 && args[at] === '--') at += 1
  const options = args.slice(0, at)
  // Assignments stand in front of the program here too.
  while (/^[A-Za-z_]\w*=/.test(args[at] ?? '')) at += 1
  return { options, command: args.slice(at) }
}

const env: Program = (call) => {
  const { args, shell, state, stdin } = call
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    const [, variable, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(arg) ?? []
    if (variable !== undefined) {
      checkAssignment(variable, value ?? '', state, shell)
      continue
    }
    if (arg === '--') continue
    if (!arg.startsWith('-') || arg === '-') {
      if (arg === '-') continue
      break
    }
    const text = /^(?:-\w*S|--split-string=?)(.*)$/s.exec(arg)?.[1]
    if (text !== undefined) {
      const rest = text === '' ? args.slice(at + 1) : [text, ...args.slice(at + 1)]
      return runCode(call, rest.join(' '), stdin, state)
    }
    if (/^(-u|--unset|-C|--chdir)$/.test(arg)) at += 1
  }
  return at < args.length ? shell.run(args.slice(at), stdin, state) : MARK.secret
}

/** `capsh -- -c text` hands the rest to a shell. */
const capabilities: Program = ({ args, shell, state, stdin }) => {
  const at = args.indexOf('--')
  return at === -1 ? MARK.unknown : shell.run(['bash', ...args.slice(at + 1)], stdin, state)
}

/** `start-stop-daemon --exec program -- arguments`. */
const daemon: Program = ({ args, shell, state, stdin }) => {
  const [program] = valuesGiven(args, ['--exec', '-x', '--startas', '-a'])
  const at = args.indexOf('--')
  const rest = at === -1 ? [] : args.slice(at + 1)
  return program === undefined ? '' : shell.run([program, ...rest], stdin, state)
}

/** `ip netns exec NAME command`. */
const network: Program = ({ args, shell, state, stdin }) => {
  const at = args.indexOf('exec')
  if (at === -1 || !/^(netns|vrf)$/.test(args[at - 1] ?? '')) return MARK.unknown
  return shell.run(args.slice(at + 2), stdin, state)
}

/** Programs whose sub-command runs another program: `uv run x`, `bundle exec x`, `pnpm dlx x`. */
const RUNNERS: Record<string, string[]> = {
  uv: ['run'],
  poetry: ['run'],
  pipenv: ['run'],
  pdm: ['run'],
  bundle: ['exec'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
  npm: ['exec', 'x'],
  bun: ['x', 'exec'],
  stack: ['exec'],
  cabal: ['exec'],
  asdf: ['exec'],
  nix: ['develop', 'shell'],
  direnv: ['exec'],
  op: ['run'],
  doppler: ['run'],
  infisical: ['run'],
  dotenvx: ['run'],
  'aws-vault': ['exec'],
  chamber: ['exec'],
  mise: ['exec', 'x'],
  conda: ['run'],
}

/** What such a call runs, as a shell would write it; nothing when it runs no other program. */
export const findRunner = (name: string, args: readonly string[]): Runner | undefined => {
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const sub = args[at]
  if (sub === undefined || !(Object.hasOwn(RUNNERS, name) && RUNNERS[name]?.includes(sub)))
    return undefined
  const valued = ['command', 'p', 'package', 'with', 'n', 'env-file', 'c', 'call', 'w', 'workspace']
  const { options, command } = splitWrapped(
    args.slice(at + 1),
    valued,
    /^(direnv|aws-vault|chamber)$/.test(name) ? 1 : 0,
  )
  const given = readArguments(options, valued)
  const [text] = /^(npm|pnpm|doppler|infisical|nix)$/.test(name)
    ? valuesOf(given, 'c', 'call', 'command')
    : []
  // One word with blanks in it is a command line.
  const [line = ''] = command.length === 1 ? command : []
  return { command, text: text ?? (/\s/.test(line) ? line : undefined) }
}

export interface Runner {
  command: string[]
  text: string | undefined
}

export const WRAPPER_PROGRAMS: Record<string, Program> = {
  ...Object.fromEntries(Object.keys(WRAPPERS).map((name) => [name, wrap])),
  env,
  capsh: capabilities,
  ip: network,
  'start-stop-daemon': daemon,
}
