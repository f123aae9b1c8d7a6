import { isUnresolved, MARK } from '../marks.ts'
import type { Call, Program } from '../program.ts'
import { reportUnknownCode } from './run-code.ts'
import { runUnknown } from './run-unknown.ts'

interface Interpreter {
  language: string
  /** Options whose value is code. */
  code: RegExp
  /** Options with a value that is no code. */
  valued?: RegExp
}

const INTERPRETERS: Record<string, Interpreter> = {
  python: { language: 'python', code: /^-\w*c$/, valued: /^-[WXm]$/ },
  pypy: { language: 'python', code: /^-\w*c$/, valued: /^-[WXm]$/ },
  ipython: { language: 'python', code: /^-c$/ },
  node: {
    language: 'javascript',
    code: /^(-e|-p|-pe|--eval|--print)$/,
    valued: /^(-r|--require|--import|-C)$/,
  },
  nodejs: {
    language: 'javascript',
    code: /^(-e|-p|-pe|--eval|--print)$/,
    valued: /^(-r|--require|--import)$/,
  },
  bun: { language: 'javascript', code: /^(-e|-p|--eval|--print)$/ },
  deno: { language: 'javascript', code: /^eval$/ },
  tsx: { language: 'javascript', code: /^(-e|-p|--eval)$/ },
  'ts-node': { language: 'javascript', code: /^(-e|-p|-pe|--eval)$/ },
  perl: { language: 'perl', code: /^-\w*[eE]$/ },
  ruby: { language: 'ruby', code: /^-\w*e$/ },
  php: { language: 'php', code: /^-r$/ },
  lua: { language: 'lua', code: /^-e$/ },
  Rscript: { language: 'r', code: /^-e$/ },
  osascript: { language: 'applescript', code: /^-e$/ },
  tclsh: { language: 'tcl', code: /^-c$/ },
  expect: { language: 'tcl', code: /^-c$/ },
  gdb: {
    language: 'gdb',
    code: /^-(ex|eval-command|iex)$|^--eval-command$/,
    valued: /^(-p|--pid|-x)$/,
  },
  lldb: { language: 'gdb', code: /^(-o|--one-line)$/ },
  powershell: { language: 'powershell', code: /^-(c|command)$/i },
  pwsh: { language: 'powershell', code: /^-(c|command)$/i },
  emacs: { language: 'lisp', code: /^--eval$/ },
  groovy: { language: 'groovy', code: /^-e$/ },
}

/** `python3.12` to `python`. */
export const interpreterOf = (name: string): Interpreter | undefined => {
  const plain = name.replace(/[\d.]+$/, '')
  const key = Object.hasOwn(INTERPRETERS, name) ? name : plain
  return Object.hasOwn(INTERPRETERS, key) ? INTERPRETERS[key] : undefined
}

/** Runs code in a language we do not follow: it is judged by what it says. */
export const runInterpreter = (call: Call, interpreter: Interpreter): string => {
  const { args, shell, stdin } = call
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (interpreter.code.test(arg)) {
      emitCode(call, interpreter.language, args[at + 1] ?? '')
      const isInPlace =
        args.some((each) => /^-\w*i/.test(each)) && interpreter.language !== 'python'
      for (const path of args.slice(at + 2)) {
        if (path.startsWith('-')) continue
        isInPlace ? shell.write(path) : shell.read(path, { mention: true })
      }
      return MARK.unknown
    }
    if (interpreter.valued?.test(arg)) {
      if (arg === '-m') {
        runUnknown({ ...call, args: args.slice(at + 2) })
        return MARK.unknown
      }
      shell.read(args[at + 1] ?? '', { mention: true })
      at += 1
    } else if (arg === '-') break
    else if (!arg.startsWith('-'))
      return runScriptFile(call, interpreter.language, arg, args.slice(at + 1))
  }
  if (stdin !== '') emitCode(call, interpreter.language, stdin)
  return MARK.unknown
}

const runScriptFile = (
  call: Call,
  language: string,
  path: string,
  rest: readonly string[],
): string => {
  const { shell } = call
  shell.read(path, { mention: true })
  const content = shell.contentOf(path)
  if (content !== undefined) emitCode(call, language, content)
  for (const arg of rest) shell.read(arg, { mention: true })
  return MARK.unknown
}

const emitCode = (call: Call, language: string, text: string): void => {
  if (isUnresolved(text)) reportUnknownCode(call, text)
  call.shell.emit({ kind: 'code', language, text })
}

const EDITOR_VALUED = /^(-[uStTciw]|--cmd|-\w*c)$/

/** Editors run what stands behind `!`, given as an option or, to a line editor, on its input. */
const editor: Program = ({ name, args, shell, state, stdin }) => {
  const run = (command: string): void => {
    const text = /^:?(?:silent!?\s*)?!(.*)$/s.exec(command)?.[1]
    if (text !== undefined) shell.runText(text, '', state)
    const target = /^:?(?:\d|[,$%])*w(?:rite|q)?!?\s+(\S.*)$/s.exec(command)?.[1]
    if (target !== undefined) shell.write(target)
  }
  args.forEach((arg, n) => {
    const command = /^(-\w*c|--cmd)$/.test(arg) ? args[n + 1] : /^\+(.+)/s.exec(arg)?.[1]
    if (command !== undefined) run(command)
    if (!/^[-+]/.test(arg) && !EDITOR_VALUED.test(args[n - 1] ?? '')) shell.write(arg)
  })
  if (name === 'ed' || name === 'ex') for (const line of stdin.split('\n')) run(line)
  return ''
}

export const CODE_PROGRAMS: Record<string, Program> = Object.fromEntries(
  ['vi', 'vim', 'nvim', 'ex', 'ed', 'nano'].map((name) => [name, editor]),
)
