import { resolvePath } from '../paths/resolve-path.ts'
import { checkAssignment } from './check-assignment.ts'
import type { Effect, ShellReading, Unit } from './effects.ts'
import { type Expansion, expandText, expandWord } from './expand-word.ts'
import { isUnresolved, MARK, showMarked } from './marks.ts'
import { parseShell } from './parse-shell.ts'
import type { Shell } from './program.ts'
import { programsNamed, runProgram } from './programs/index.ts'
import { readCode } from './programs/read-code.ts'
import { isShell } from './programs/shell-programs.ts'
import { copyState, mergeInto, type ShellFunction, type ShellState } from './shell-state.ts'
import type {
  Assignment,
  Command,
  CompoundCommand,
  Redirect,
  Script,
  SimpleCommand,
} from './syntax.ts'
import { textsOfSimple, unitOfCall, unitOfCommand, unitOfScript, unitOfText } from './units.ts'

export interface WalkContext {
  home: string
  environment: Readonly<Record<string, string | undefined>>
}

/** More than any command line a person means; beyond it we say that we did not read on. */
const MAX_COMMANDS = 2000
const MAX_NESTING = 16

type BareEffect = Parameters<Shell['emit']>[0]

/** Follows a script as a shell would run it, without running anything, and notes every effect. */
export class Walker {
  readonly reading: ShellReading = { effects: [], units: [] }
  private readonly context: WalkContext
  private readonly files = new Map<string, string>()
  private readonly running = new Set<string>()
  private readonly seen = new Set<string>()
  private commands = 0
  private nesting = 0
  private unit = -1

  constructor(context: WalkContext) {
    this.context = context
  }

  walkText(text: string, stdin: string, state: ShellState): string {
    if (this.nesting >= MAX_NESTING) {
      this.emit({ kind: 'unresolved', what: 'commands are nested too deep to follow' })
      return MARK.unknown
    }
    const parsed = parseShell(text)
    if (!parsed.ok) {
      this.addUnit(unitOfText(text))
      this.emit({ kind: 'unresolved', what: `the command cannot be read: ${parsed.message}` })
      this.reading.problem ??= parsed.message
      return MARK.unknown
    }
    this.nesting += 1
    const output = this.walkScript(parsed.script, stdin, state)
    this.nesting -= 1
    return output
  }

  private walkScript(script: Script, stdin: string, state: ShellState): string {
    const outputs: string[] = []
    if (script.items.length > 1) this.addUnit(unitOfScript(script))
    // `a && b`: b may not have run; what held before it is possible after the chain.
    let skipped: ShellState[] = []
    let before: string = ';'
    for (const { command, connector } of script.items) {
      if (before === '&&') skipped.push(copyState(state))
      const isAside = before === '||' || connector === '&'
      const scope = isAside ? copyState(state) : state
      outputs.push(this.walk(command, stdin, scope, script))
      if (before === '||') mergeInto(state, [scope])
      if (connector === ';' || connector === '&') {
        mergeInto(state, skipped)
        skipped = []
      }
      before = connector
    }
    return outputs.filter((output) => output !== '').join('\n')
  }

  private walk(command: Command, stdin: string, state: ShellState, script: Script): string {
    this.commands += 1
    if (this.commands > MAX_COMMANDS) {
      if (this.commands === MAX_COMMANDS + 1) {
        this.emit({ kind: 'unresolved', what: 'the command is too long to follow to its end' })
      }
      return MARK.unknown
    }
    if (command.kind === 'simple') return this.walkSimple(command, stdin, state, script)
    this.addUnit(unitOfCommand(command, script))
    const input = this.redirectInput(command.redirects, stdin, state)
    const output = this.walkCompound(command, input, state, script)
    return this.redirectOutput(command.redirects, output, state, '')
  }

  private walkCompound(
    command: CompoundCommand,
    stdin: string,
    state: ShellState,
    script: Script,
  ): string {
    switch (command.kind) {
      case 'pipeline':
        return this.walkPipeline(command.commands, stdin, state, script)
      case 'block':
        return this.walkScript(command.body, stdin, command.subshell ? copyState(state) : state)
      case 'if': {
        const branches = command.branches.map(({ test, body }) => {
          this.walkScript(test, stdin, state)
          return body
        })
        const isWhole = command.otherwise !== undefined
        if (command.otherwise !== undefined) branches.push(command.otherwise)
        return this.walkBranches(branches, isWhole, stdin, state)
      }
      case 'while': {
        this.walkScript(command.test, stdin, state)
        return this.walkLoop(command.body, stdin, state)
      }
      case 'for': {
        const expansion = this.expansion(state)
        const values = command.words?.flatMap((word) => expandWord(word, expansion))
        if (command.name !== '') {
          const given = values ?? state.parameters ?? [MARK.unknown]
          state.variables.set(
            command.name,
            given.length > 64 ? [MARK.unknown] : [...new Set(given)],
          )
        }
        return this.walkLoop(command.body, stdin, state)
      }
      case 'case': {
        expandText(command.word, this.expansion(state))
        for (const { patterns } of command.arms) {
          for (const pattern of patterns) expandText(pattern, this.expansion(state))
        }
        const bodies = command.arms.map(({ body }) => body)
        return this.walkBranches(bodies, false, stdin, state)
      }
      case 'function':
        state.functions.set(command.name, { body: command.body, script })
        return ''
      case 'test':
        for (const word of command.words) expandText(word, this.expansion(state))
        return ''
      case 'arithmetic':
        expandText({ parts: command.parts, start: 0, end: 0 }, this.expansion(state))
        return ''
    }
  }

  /** One of them runs; or none, unless `isWhole`. */
  private walkBranches(
    bodies: readonly Script[],
    isWhole: boolean,
    stdin: string,
    state: ShellState,
  ): string {
    const outputs: string[] = []
    const ends = bodies.map((body) => {
      const branch = copyState(state)
      outputs.push(this.walkScript(body, stdin, branch))
      return branch
    })
    const [first, ...others] = isWhole ? ends : [copyState(state), ...ends]
    if (first !== undefined) Object.assign(state, first)
    mergeInto(state, others)
    return outputs.join('\n')
  }

  /** Twice: what the first round set is there in the second. */
  private walkLoop(body: Script, stdin: string, state: ShellState): string {
    const first = copyState(state)
    const output = this.walkScript(body, stdin, first)
    const changed = [...first.variables].some(
      ([name, values]) => state.variables.get(name) !== values,
    )
    const moved = first.directories !== state.directories
    mergeInto(state, [first])
    if (changed || moved) this.walkScript(body, stdin, state)
    return output
  }

  private walkPipeline(
    commands: readonly Command[],
    stdin: string,
    state: ShellState,
    script: Script,
  ): string {
    let flowing = stdin
    const before = this.reading.effects.length
    for (const command of commands) {
      const input = flowing === '' && command !== commands[0] ? MARK.unknown : flowing
      flowing = this.walk(command, input, copyState(state), script)
    }
    this.checkReverseShell(this.reading.effects.slice(before))
    return flowing
  }

  /** A shell on one side of a connection and the network on the other. */
  private checkReverseShell(effects: readonly Effect[]): void {
    const programs = effects.flatMap((effect) => (effect.kind === 'run' ? [effect] : []))
    const connects = programs.some(({ program }) => /^(nc|ncat|netcat|socat|telnet)$/.test(program))
    const serves = programs.some(
      ({ program, argv }) => isShell(program) && (argv.length === 1 || argv.includes('-i')),
    )
    if (!connects || !serves) return
    this.emit({
      kind: 'hazard',
      rule: 'builtin:reverse-shell',
      verdict: 'deny',
      reason: 'a shell is handed to whoever is at the other end of a connection',
    })
  }

  private walkSimple(
    command: SimpleCommand,
    stdin: string,
    state: ShellState,
    script: Script,
  ): string {
    this.addUnit(unitOfCommand(command, script))
    const own = this.unit
    const isLasting = command.words.length === 0 || isDeclaration(command, script)
    const scope = isLasting ? state : copyState(state)
    for (const assignment of command.assignments) this.assign(assignment, scope)
    // `FOO=x cmd` sets FOO for cmd alone; its words still see the old value.
    const expansion = this.expansion(state)
    const [first, ...others] = command.words
    const named = first === undefined ? '' : script.source.slice(first.start, first.end)
    const input = this.redirectInput(command.redirects, stdin, state, named)
    this.unit = own
    if (first === undefined) return this.redirectOutput(command.redirects, '', state, '')
    const heads = expandWord(first, expansion)
    const rest = others.flatMap((word) => expandWord(word, expansion))
    const isChoice = first.parts.length === 1 && first.parts[0]?.kind === 'parameter'
    const choices = isChoice && heads.length > 1 && this.hasAlternatives(first.parts[0], state)
    const argvs = choices ? heads.map((head) => [head, ...rest]) : [[...heads, ...rest]]
    this.unit = own
    const filled = this.reading.units[own]
    if (filled !== undefined) filled.texts = textsOfSimple(command, script, argvs)
    const outputs = argvs.map((argv) => {
      this.unit = own
      return this.runAliased(argv, first, command, input, scope, script)
    })
    if (scope !== state) adoptShellChanges(state, scope, command)
    this.unit = own
    return this.redirectOutput(command.redirects, outputs.join('\n'), state, argvs[0]?.[0] ?? '')
  }

  private hasAlternatives(part: unknown, state: ShellState): boolean {
    return (
      typeof part === 'object' &&
      part !== null &&
      'name' in part &&
      typeof part.name === 'string' &&
      (state.variables.get(part.name)?.length ?? 0) > 1
    )
  }

  private runAliased(
    argv: readonly string[],
    first: { start: number; end: number },
    command: SimpleCommand,
    stdin: string,
    state: ShellState,
    script: Script,
  ): string {
    const [program = ''] = argv
    const alias = state.aliases.get(program)
    if (alias === undefined || this.running.has(`alias ${program}`)) {
      return this.run(argv, stdin, state, false)
    }
    this.running.add(`alias ${program}`)
    const rest = script.source.slice(first.end, command.end)
    const output = this.walkText(`${alias}${rest}`, stdin, state)
    this.running.delete(`alias ${program}`)
    return output
  }

  /** Runs one program; `isInner` when another one was asked to run it. */
  private run(argv: readonly string[], stdin: string, state: ShellState, isInner: boolean): string {
    const [program = '', ...args] = argv
    const outer = this.unit
    if (isInner) {
      this.commands += 1
      if (this.commands > MAX_COMMANDS) return MARK.unknown
      this.addUnit(unitOfCall(argv))
    }
    if (isUnresolved(program)) {
      this.emit({
        kind: 'unresolved',
        what: `which program runs is known only when it runs (${showMarked(program)})`,
      })
    }
    const name = program.split('/').at(-1) ?? program
    const named = programsNamed(name)
    if (named.length > 0) {
      const outputs = named.map((each) => this.run([each, ...args], stdin, state, isInner))
      this.unit = outer
      return outputs.join('\n')
    }
    const found = state.functions.get(program)
    if (found !== undefined) {
      const output = this.callFunction(program, found, args, stdin, state)
      this.unit = outer
      return output
    }
    this.emit({ kind: 'run', program: name, argv: [...argv] })
    const content = program.includes('/') ? this.contentOf(program, state) : undefined
    const output =
      content === undefined
        ? runProgram({ name, args, stdin, state, shell: this.shellFor(state) })
        : runProgram({
            name: 'bash',
            args: [program, ...args],
            stdin,
            state,
            shell: this.shellFor(state),
          })
    this.unit = outer
    return output
  }

  private callFunction(
    name: string,
    { body, script }: ShellFunction,
    args: readonly string[],
    stdin: string,
    state: ShellState,
  ): string {
    if (this.running.has(name)) {
      this.emit({
        kind: 'hazard',
        rule: 'builtin:fork-bomb',
        verdict: this.isForking ? 'deny' : 'alert',
        reason: `the function ${name} calls itself`,
      })
      return MARK.unknown
    }
    this.running.add(name)
    const before = state.parameters
    state.parameters = [...args]
    const wasForking = this.isForking
    this.isForking = this.isForking || forks(body)
    const output = this.walk(body, stdin, state, script)
    this.isForking = wasForking
    state.parameters = before
    this.running.delete(name)
    return output
  }

  private isForking = false

  private assign(assignment: Assignment, state: ShellState): void {
    const expansion = this.expansion(state)
    const values =
      assignment.values.length === 1
        ? assignment.values.flatMap((word) => expandText(word, expansion))
        : [assignment.values.flatMap((word) => expandWord(word, expansion)).join(MARK.split)]
    const old = state.variables.get(assignment.name) ?? ['']
    const next = assignment.append
      ? old.flatMap((text) => values.map((value) => text + value))
      : values
    state.variables.set(assignment.name, next)
    for (const value of next) checkAssignment(assignment.name, value, state, this.shellFor(state))
  }

  private redirectInput(
    redirects: readonly Redirect[],
    stdin: string,
    state: ShellState,
    program = '',
  ): string {
    let input = stdin
    for (const redirect of redirects) {
      const expansion = this.expansion(state)
      if (redirect.body !== undefined) input = expandText(redirect.body, expansion).join('\n')
      else if (redirect.operator === '<<<')
        input = expandText(redirect.target, expansion).join('\n')
      else if (redirect.operator === '<' || redirect.operator === '<>') {
        const paths = expandWord(redirect.target, expansion)
        for (const path of paths) this.touch('read', path, {}, state)
        input = paths.map((path) => this.contentOf(path, state) ?? MARK.unknown).join('\n')
        for (const path of paths) this.checkConnection(path, program)
      }
    }
    return input
  }

  private redirectOutput(
    redirects: readonly Redirect[],
    output: string,
    state: ShellState,
    program: string,
  ): string {
    let flowing = output
    for (const { operator, descriptor, target } of redirects) {
      if (!operator.includes('>') || operator === '<>') continue
      for (const path of expandWord(target, this.expansion(state))) {
        if (operator === '>&' && /^(\d+|-)$/.test(path)) continue
        if (/^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/.test(path)) {
          if (path === '/dev/null' && descriptor !== '2') flowing = ''
          continue
        }
        this.checkConnection(path, program)
        this.touch('write', path, {}, state)
        if (descriptor === '2') continue
        this.remember(
          path,
          operator.includes('>>') ? `${this.contentOf(path, state) ?? ''}\n${output}` : output,
          state,
        )
        flowing = ''
      }
    }
    return flowing
  }

  /** bash opens a connection for `/dev/tcp/host/port`. */
  private checkConnection(path: string, program: string): void {
    if (!/^\/dev\/(tcp|udp)\//.test(path)) return
    this.emit({ kind: 'network', program: 'bash', target: path, sends: true })
    this.emit({
      kind: 'hazard',
      rule: 'builtin:reverse-shell',
      verdict: isShell(program) || program === 'exec' ? 'deny' : 'ask',
      reason: 'the shell itself opens a connection to another machine',
    })
  }

  private expansion(state: ShellState): Expansion {
    return {
      state,
      home: this.context.home,
      environment: this.context.environment,
      capture: (script) => {
        const unit = this.unit
        const output = this.walkScript(script, '', copyState(state))
        this.unit = unit
        return output
      },
      attach: (script, direction) => {
        const unit = this.unit
        const output = this.walkScript(
          script,
          direction === '>' ? MARK.unknown : '',
          copyState(state),
        )
        if (direction === '<') this.files.set(`/dev/fd/${MARK.segment}`, output)
        this.unit = unit
      },
    }
  }

  private shellFor(state: ShellState): Shell {
    return {
      home: this.context.home,
      emit: (effect) => {
        this.emit(effect)
        if (effect.kind === 'code')
          readCode(effect.language, effect.text, state, this.shellFor(state))
      },
      read: (path, options = {}) => this.touch('read', path, options, state),
      write: (path, options = {}) => this.touch('write', path, options, state),
      remove: (path, options = {}) => this.touch('delete', path, options, state),
      run: (argv, stdin, inner) => this.run(argv, stdin, inner, true),
      runText: (text, stdin, inner, parameters) => {
        const unit = this.unit
        const before = inner.parameters
        if (parameters !== undefined) inner.parameters = parameters
        const output = this.walkText(text, stdin, inner)
        inner.parameters = before
        this.unit = unit
        return output
      },
      judge: (text) => {
        const unit = this.unit
        this.addUnit(unitOfText(text))
        this.unit = unit
      },
      contentOf: (path) => this.contentOf(path, state),
      remember: (path, content) => this.remember(path, content, state),
    }
  }

  private touch(
    kind: 'read' | 'write' | 'delete',
    path: string,
    options: { recursive?: boolean; gentle?: boolean; mention?: boolean },
    state: ShellState,
  ): void {
    const { recursive = false, gentle = false, mention = false } = options
    if (path === '' || path === '-' || path.startsWith('/dev/fd/')) return
    for (const directory of state.directories) {
      const resolved = resolvePath(path, this.directoryOf(directory), this.context.home)
      this.emit({ kind, path: resolved, recursive, gentle, mention })
    }
  }

  private directoryOf(directory: string): string {
    return resolvePath(directory, '/', this.context.home)
  }

  private contentOf(path: string, state: ShellState): string | undefined {
    if (path.startsWith('/dev/fd/')) return this.files.get(path)
    const [directory = '/'] = state.directories
    return this.files.get(resolvePath(path, this.directoryOf(directory), this.context.home))
  }

  private remember(path: string, content: string, state: ShellState): void {
    const [directory = '/'] = state.directories
    if (this.files.size < 200) {
      this.files.set(resolvePath(path, this.directoryOf(directory), this.context.home), content)
    }
  }

  private emit(effect: BareEffect): void {
    const unit = Math.max(this.unit, 0)
    const key = `${unit} ${JSON.stringify(effect)}`
    if (this.seen.has(key)) return
    this.seen.add(key)
    this.reading.effects.push({ ...effect, unit, part: this.reading.units[unit]?.part ?? '' })
  }

  private addUnit(unit: Unit): void {
    this.reading.units.push(unit)
    this.unit = this.reading.units.length - 1
  }
}

/** `FOO=1 cd x` and `FOO=1 eval …` change the shell itself. */
const adoptShellChanges = (state: ShellState, scope: ShellState, command: SimpleCommand): void => {
  state.directories = scope.directories
  state.previous = scope.previous
  state.functions = scope.functions
  state.aliases = scope.aliases
  state.parameters = scope.parameters
  state.stack = scope.stack
  const own = new Set(command.assignments.map(({ name }) => name))
  for (const [name, values] of scope.variables) {
    if (!own.has(name)) state.variables.set(name, values)
  }
}

const isDeclaration = (command: SimpleCommand, script: Script): boolean => {
  const [first] = command.words
  if (first === undefined) return false
  return /^(export|declare|typeset|local|readonly)$/.test(
    script.source.slice(first.start, first.end),
  )
}

const forks = (command: Command): boolean => {
  if (command.kind === 'pipeline') return true
  if (command.kind !== 'block') return false
  return command.body.items.some((item) => item.connector === '&' || forks(item.command))
}
