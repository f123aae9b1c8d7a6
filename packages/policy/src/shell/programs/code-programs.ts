import { isUnresolved, MARK } from '../marks.ts'
import { type Call, type Program, valuesGiven } from '../program.ts'
import { sendsAway } from './code-sends.ts'
import { contentFor } from './read-operands.ts'
import { reportUnknownCode } from './run-code.ts'
import { runCodeOptions, runUnknown } from './run-unknown.ts'
import { serveDirectory } from './serve-programs.ts'

interface Interpreter {
  language: string
  /** Option letters that may be followed by code in the same argument: `-e'code'`. */
  letters?: string
  /** Options whose value is code. */
  code: RegExp
  /** Options with a value that is not code. */
  valued?: RegExp
}

const INTERPRETERS: Record<string, Interpreter> = {
  python: { language: 'python', letters: 'c', code: /^-\w*c$/, valued: /^-[WXm]$/ },
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
  perl: { language: 'perl', letters: 'eE', code: /^-\w*[eE]$/ },
  ruby: { language: 'ruby', letters: 'e', code: /^-\w*e$/ },
  jruby: { language: 'ruby', letters: 'e', code: /^-\w*e$/ },
  php: { language: 'php', letters: 'r', code: /^-(r|B|R|E)$/, valued: /^-[St]$/ },
  lua: { language: 'lua', letters: 'e', code: /^-e$/ },
  luajit: { language: 'lua', letters: 'e', code: /^-e$/ },
  Rscript: { language: 'r', code: /^-e$/ },
  R: { language: 'r', code: /^-e$/ },
  julia: { language: 'julia', letters: 'eE', code: /^(-e|-E|--eval|--print)$/ },
  elixir: { language: 'elixir', code: /^(-e|--eval|--rpc-eval)$/ },
  iex: { language: 'elixir', code: /^(-e|--eval)$/ },
  erl: { language: 'erlang', code: /^-eval$/ },
  escript: { language: 'erlang', code: /^-e$/ },
  ghc: { language: 'haskell', code: /^-e$/ },
  ghci: { language: 'haskell', code: /^-e$/ },
  runghc: { language: 'haskell', code: /^-e$/ },
  scala: { language: 'scala', code: /^-e$/ },
  kotlin: { language: 'kotlin', code: /^-e(xpression)?$/ },
  jshell: { language: 'java', code: /^-e$/ },
  guile: { language: 'lisp', code: /^-c$/ },
  racket: { language: 'lisp', code: /^(-e|--eval)$/ },
  sbcl: { language: 'lisp', code: /^--eval$/ },
  clisp: { language: 'lisp', code: /^-x$/ },
  ecl: { language: 'lisp', code: /^(-eval|--eval)$/ },
  clojure: { language: 'lisp', code: /^(-e|--eval)$/ },
  clj: { language: 'lisp', code: /^(-e|--eval)$/ },
  bb: { language: 'lisp', code: /^(-e|--eval)$/ },
  janet: { language: 'lisp', code: /^-e$/ },
  octave: { language: 'octave', code: /^--eval$/ },
  maxima: { language: 'octave', code: /^--batch-string$/ },
  gp: { language: 'octave', code: /^-e$/ },
  matlab: { language: 'octave', code: /^-(r|batch)$/ },
  scilab: { language: 'octave', code: /^-e$/ },
  gnuplot: { language: 'gnuplot', code: /^-e$/ },
  swipl: { language: 'prolog', code: /^-[gt]$/ },
  raku: { language: 'perl', letters: 'e', code: /^-e$/ },
  crystal: { language: 'ruby', code: /^eval$/ },
  swift: { language: 'swift', code: /^-e$/ },
  qjs: { language: 'javascript', code: /^(-e|--eval)$/ },
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
  emacs: { language: 'lisp', code: /^--?(eval|execute)$/ },
  groovy: { language: 'groovy', code: /^-e$/ },
}

/** Finds an interpreter by name, without its version: `python3.12` is `python`. */
export const interpreterOf = (name: string): Interpreter | undefined => {
  const plain = name.replace(/-cli$|(?<![\d.])[\d.]+$/, '')
  const key = Object.hasOwn(INTERPRETERS, name) ? name : plain
  return Object.hasOwn(INTERPRETERS, key) ? INTERPRETERS[key] : undefined
}

/** Runs code in a language that is not parsed; it is judged by its text. */
export const runInterpreter = (call: Call, interpreter: Interpreter): string => {
  const { args, shell, stdin } = call
  if (args.includes('-run') && args.some((arg) => /^(-e)?httpd$/.test(arg))) {
    // `ruby -run -e httpd directory` is a web server.
    const at = args.findIndex((arg) => /^(-e)?httpd$/.test(arg))
    serveDirectory(call, args[at + 1]?.startsWith('-') ? undefined : args[at + 1])
  }
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === 'run' && call.name === 'deno') continue
    const joined = joinedCode(interpreter, arg)
    if (joined !== undefined) {
      emitCode(call, interpreter.language, joined)
      continue
    }
    if (interpreter.code.test(arg)) {
      // `deno eval` accepts options before the code.
      while (arg === 'eval' && args[at + 1]?.startsWith('-')) at += 1
      emitCode(call, interpreter.language, args[at + 1] ?? '')
      const isInPlace =
        args.some((each) => /^-\w*i/.test(each)) && interpreter.language !== 'python'
      args.slice(at + 2).forEach((path, n, rest) => {
        if (interpreter.code.test(path)) emitCode(call, interpreter.language, rest[n + 1] ?? '')
        if (path.startsWith('-') || interpreter.code.test(rest[n - 1] ?? '')) return
        isInPlace ? shell.write(path, { replaces: true }) : shell.read(path, { mention: true })
      })
      return MARK.unknown
    }
    if (interpreter.valued?.test(arg)) {
      if (arg === '-m') {
        if (/^(http\.server|SimpleHTTPServer|twisted)$/.test(args[at + 1] ?? ''))
          serveDirectory(call, valuesGiven(args, ['-d', '--directory', '--path'])[0])
        runUnknown({ ...call, args: args.slice(at + 2) })
        return MARK.unknown
      }
      if (arg === '-S' && interpreter.language === 'php')
        serveDirectory(call, valuesGiven(args, ['-t'])[0])
      else shell.read(args[at + 1] ?? '', { mention: true })
      at += 1
    } else if (arg === '-') {
      for (const path of args.slice(at + 1)) shell.read(path, { mention: true })
      break
    } else if (!arg.startsWith('-'))
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
  const content = contentFor(call, path)
  if (content !== undefined) emitCode(call, language, content)
  for (const arg of rest) shell.read(arg, { mention: true })
  runCodeOptions(call, rest)
  return MARK.unknown
}

/** The code in `--eval=code`, or in `-e` directly followed by code. */
const joinedCode = ({ code, letters }: Interpreter, arg: string): string | undefined => {
  const [, option = '', value] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? []
  if (value !== undefined && code.test(option)) return value
  if (letters === undefined || !/^-\w/.test(arg) || /^[-\w.:=,/]*$/.test(arg)) return undefined
  return new RegExp(`^-[^\\s${letters}]{0,8}?[${letters}](.+)$`, 's').exec(arg)?.[1]
}

const emitCode = (call: Call, language: string, text: string): void => {
  if (isUnresolved(text)) reportUnknownCode(call, text)
  if (call.stdin.includes(MARK.secret) && sendsAway(text)) {
    call.shell.emit({
      kind: 'hazard',
      rule: 'builtin:exfiltration',
      verdict: 'deny',
      reason: `${language} code sends the environment, secrets included, over the network`,
    })
  }
  // Modules loaded by an option are part of what the code can do.
  const modules = call.args.flatMap((arg) => /^-[Mmr]([A-Za-z][\w:/.-]+)/.exec(arg)?.[1] ?? [])
  const whole = modules.length === 0 ? text : `${modules.join('\n')}\n${text}`
  call.shell.emit({ kind: 'code', language, text: whole })
}

const EDITOR_VALUED = /^(-[uStTciw]|--cmd|-\w*c)$/

/** Editors run the text after `!`, given as an option or, for a line editor, on standard input. */
const editor: Program = (call) => {
  const { name, args, shell, state, stdin } = call
  const run = (command: string): void => {
    const text =
      /^:*(?:silent!?)?\s*(?:(?:[\d,$%.'<>]+(?:r(?:ead)?|w(?:rite)?)?\s*|(?:r(?:ead)?|w(?:rite)?)\s*)?!|te(?:rm(?:inal)?)?\s)(.*)$/s.exec(
        command,
      )?.[1]
    if (text !== undefined) shell.runText(text, '', state)
    else if (
      /\b(exe|exec|system|systemlist|job_start|termopen|jobstart|execute|delete|lua|python3?|py3?|perl|ruby)\b/.test(
        command,
      )
    )
      shell.emit({ kind: 'code', language: 'vim', text: command })
    const target = /^:?(?:\d|[,$%])*w(?:rite|q)?!?\s+(\S.*)$/s.exec(command)?.[1]
    if (target !== undefined) shell.write(target)
  }
  for (const file of valuesGiven(args, ['-S', '-u', '-s'])) {
    for (const line of (contentFor(call, file) ?? '').split('\n')) run(line)
  }
  const lua = valuesGiven(args, ['-l']).map((file) => contentFor(call, file) ?? '')
  for (const text of lua) if (text !== '') shell.emit({ kind: 'code', language: 'lua', text })
  args.forEach((arg, n) => {
    const command = /^(-\w*c|--cmd)$/.test(arg) ? args[n + 1] : /^\+(.+)/s.exec(arg)?.[1]
    if (command !== undefined) run(command)
    if (!/^[-+]/.test(arg) && !EDITOR_VALUED.test(args[n - 1] ?? '')) shell.write(arg)
  })
  if (/^(r?ed|ex)$/.test(name) || args.includes('-es') || args.includes('-e'))
    for (const line of stdin.split('\n')) run(line)
  return ''
}

export const CODE_PROGRAMS: Record<string, Program> = Object.fromEntries(
  ['vi', 'vim', 'nvim', 'vimdiff', 'rvim', 'rview', 'gvim', 'view', 'ex', 'ed', 'red', 'nano'].map(
    (name) => [name, editor],
  ),
)
