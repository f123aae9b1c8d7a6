import { Cursor, ShellSyntaxError } from './cursor.ts'
import { parseExpansions, parseWord, type ScriptReaders, tryArithmetic } from './parse-word.ts'
import type {
  Assignment,
  Command,
  CompoundCommand,
  Redirect,
  Script,
  SimpleCommand,
  Word,
} from './syntax.ts'

export type ParsedScript =
  | { ok: true; script: Script }
  | { ok: false; message: string; offset: number }

/**
 * Reads a command line by the grammar of POSIX shells and bash. It is our own because the packaged
 * parser leaves out what the commands are made of and takes longer to start than a hook may.
 */
export const parseShell = (text: string, depth = 0): ParsedScript => {
  try {
    return { ok: true, script: parseText(text, depth) }
  } catch (thrown) {
    if (thrown instanceof ShellSyntaxError) {
      return { ok: false, message: thrown.message, offset: thrown.offset }
    }
    throw thrown
  }
}

const parseText = (text: string, depth: number): Script =>
  new Parser(new Cursor(text, depth)).parse()

const REDIRECT = /(\d*|\{\w+\})(<<<|<<-|<<|<>|<&|>>|>\||>&|&>>|&>|<|>)/y
const ASSIGNMENT = /([A-Za-z_][A-Za-z0-9_]*)(\[[^\]\s]*\])?(\+?)=/y
const FUNCTION_NAME = /([^\s;&|()<>$'"`\\={}]+|:)[ \t]*\([ \t]*\)/y
const RESERVED =
  /(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|time|\{|\}|!|\[\[|coproc)(?=[\s;&|()<>]|$)/y
const CLOSERS = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}'])

class Parser {
  private readonly cursor: Cursor
  private pending: Redirect[] = []
  private quotedEnds = new Map<Redirect, { delimiter: string; quoted: boolean; dashed: boolean }>()
  private readonly readers: ScriptReaders = {
    inParentheses: (cursor) => {
      // Expansions inside an expression or a here-document are read on a cursor of their own.
      if (cursor !== this.cursor) return new Parser(cursor).readers.inParentheses(cursor)
      const script = this.readScript(() => cursor.peek() === ')')
      if (cursor.take() !== ')') throw cursor.error('( is not closed')
      return script
    },
    ofText: (text, depth) => parseText(text, depth),
  }

  constructor(cursor: Cursor) {
    this.cursor = cursor
  }

  parse(): Script {
    const script = this.readScript(() => false)
    if (!this.cursor.done) throw this.cursor.error(`${this.cursor.peek()} is not expected here`)
    return script
  }

  private readScript(isEnd: () => boolean): Script {
    const script: Script = { source: this.cursor.text, items: [] }
    for (;;) {
      this.skipLines()
      if (this.cursor.done || isEnd() || this.peekCloser()) return script
      if (this.cursor.startsWith(';;') || this.cursor.startsWith(';&')) return script
      const command = this.cursor.nested(() => this.readPipeline())
      this.cursor.skipBlanks()
      const connector = this.readConnector()
      script.items.push({ command, connector: connector ?? ';' })
      if (connector === undefined && !this.cursor.done && !isEnd() && !this.peekCloser()) {
        if (this.cursor.startsWith(';;') || this.cursor.startsWith(';&')) return script
        throw this.cursor.error(`${this.cursor.peek()} is not expected here`)
      }
    }
  }

  private readConnector(): ';' | '&' | '&&' | '||' | undefined {
    const { cursor } = this
    if (cursor.startsWith('&&')) return cursor.take(2) === '&&' ? '&&' : undefined
    if (cursor.startsWith('||')) return cursor.take(2) === '||' ? '||' : undefined
    if (cursor.startsWith(';;') || cursor.startsWith(';&')) return undefined
    if (cursor.peek() === '&') return cursor.take() === '&' ? '&' : undefined
    if (cursor.peek() === ';') return cursor.take() === ';' ? ';' : undefined
    if (cursor.peek() === '\n') {
      this.takeLineEnd()
      return ';'
    }
    return undefined
  }

  private skipLines(): void {
    for (;;) {
      this.cursor.skipBlanks()
      if (this.cursor.peek() !== '\n') return
      this.takeLineEnd()
    }
  }

  private takeLineEnd(): void {
    this.cursor.take()
    const waiting = this.pending
    this.pending = []
    for (const redirect of waiting) this.readHereDocument(redirect)
  }

  private readHereDocument(redirect: Redirect): void {
    const end = this.quotedEnds.get(redirect)
    if (end === undefined) return
    const { cursor } = this
    const start = cursor.position
    let body = ''
    while (!cursor.done) {
      const stop = cursor.text.indexOf('\n', cursor.position)
      const line = cursor.text.slice(cursor.position, stop === -1 ? undefined : stop)
      cursor.position = stop === -1 ? cursor.text.length : stop + 1
      const shown = end.dashed ? line.replace(/^\t+/, '') : line
      if (shown === end.delimiter) break
      body += `${shown}\n`
    }
    const parts = end.quoted
      ? [{ kind: 'text' as const, text: body, quoted: true }]
      : cursor.nested(() => parseExpansions(new Cursor(body, cursor.depth), this.readers))
    redirect.body = { parts, start, end: cursor.position }
  }

  private peekReserved(): string | undefined {
    const before = this.cursor.position
    const word = this.cursor.match(RESERVED)
    this.cursor.position = before
    return word
  }

  private peekCloser(): boolean {
    const word = this.peekReserved()
    return word !== undefined && CLOSERS.has(word)
  }

  private expect(word: string): void {
    this.skipLines()
    if (this.peekReserved() !== word) throw this.cursor.error(`${word} is missing`)
    this.cursor.take(word.length)
  }

  private readPipeline(): Command {
    const { cursor } = this
    const start = cursor.position
    for (
      let word = this.peekReserved();
      word === '!' || word === 'time';
      word = this.peekReserved()
    ) {
      cursor.take(word.length)
      cursor.skipBlanks()
      if (word === 'time') cursor.match(/-p\s+/y)
    }
    const commands = [this.readCommand()]
    for (;;) {
      cursor.skipBlanks()
      if (!cursor.startsWith('|') || cursor.startsWith('||')) break
      cursor.take(cursor.startsWith('|&') ? 2 : 1)
      this.skipLines()
      commands.push(this.readCommand())
    }
    const [only] = commands
    if (commands.length === 1 && only !== undefined) return only
    return { kind: 'pipeline', commands, redirects: [], start, end: cursor.position }
  }

  private readCommand(): Command {
    const { cursor } = this
    cursor.skipBlanks()
    const start = cursor.position
    const word = this.peekReserved()
    if (word === 'coproc') {
      cursor.take(word.length)
      return this.readCommand()
    }
    const compound = this.readCompound(word)
    if (compound === undefined) return this.readFunction(start) ?? this.readSimple()
    const redirects: Redirect[] = []
    for (;;) {
      cursor.skipBlanks()
      const redirect = this.readRedirect()
      if (redirect === undefined) break
      redirects.push(redirect)
    }
    return { ...compound, redirects, start, end: cursor.position }
  }

  private readCompound(word: string | undefined): Bare<CompoundCommand> | undefined {
    const { cursor } = this
    if (cursor.startsWith('((')) {
      const part = tryArithmetic(cursor, this.readers)
      if (part?.kind === 'arithmetic') return { kind: 'arithmetic', parts: part.parts }
    }
    if (cursor.peek() === '(') {
      cursor.take()
      return { kind: 'block', subshell: true, body: this.readers.inParentheses(cursor) }
    }
    if (word === undefined) return undefined
    if (CLOSERS.has(word)) throw cursor.error(`${word} is not expected here`)
    cursor.take(word.length)
    switch (word) {
      case '{': {
        const body = this.readScript(() => false)
        this.expect('}')
        return { kind: 'block', subshell: false, body }
      }
      case 'if':
        return this.readIf()
      case 'while':
      case 'until': {
        const test = this.readScript(() => false)
        return { kind: 'while', test, body: this.readLoopBody() }
      }
      case 'for':
      case 'select':
        return this.readFor()
      case 'case':
        return this.readCase()
      case 'function':
        return this.readNamedFunction()
      case '[[':
        return { kind: 'test', words: this.readTest() }
      default:
        return undefined
    }
  }

  private readIf(): Bare<CompoundCommand> {
    const branches: { test: Script; body: Script }[] = []
    for (;;) {
      const test = this.readScript(() => false)
      this.expect('then')
      branches.push({ test, body: this.readScript(() => false) })
      this.skipLines()
      if (this.peekReserved() !== 'elif') break
      this.expect('elif')
    }
    if (this.peekReserved() !== 'else') {
      this.expect('fi')
      return { kind: 'if', branches }
    }
    this.expect('else')
    const otherwise = this.readScript(() => false)
    this.expect('fi')
    return { kind: 'if', branches, otherwise }
  }

  private readLoopBody(): Script {
    this.skipLines()
    if (this.peekReserved() === '{') {
      this.expect('{')
      const body = this.readScript(() => false)
      this.expect('}')
      return body
    }
    this.expect('do')
    const body = this.readScript(() => false)
    this.expect('done')
    return body
  }

  private readFor(): Bare<CompoundCommand> {
    const { cursor } = this
    cursor.skipBlanks()
    if (cursor.startsWith('((')) {
      tryArithmetic(cursor, this.readers)
      this.skipSeparator()
      return { kind: 'for', name: '', words: [], body: this.readLoopBody() }
    }
    const name = cursor.match(/[A-Za-z_][A-Za-z0-9_]*/y)
    if (name === undefined) throw cursor.error('for has no variable')
    this.skipLines()
    if (cursor.match(/in(?=[\s;])/y) === undefined) {
      this.skipSeparator()
      return { kind: 'for', name, body: this.readLoopBody() }
    }
    const words = this.readWords()
    this.skipSeparator()
    return { kind: 'for', name, words, body: this.readLoopBody() }
  }

  private skipSeparator(): void {
    this.cursor.skipBlanks()
    if (this.cursor.peek() === ';') this.cursor.take()
  }

  private readWords(): Word[] {
    const words: Word[] = []
    for (;;) {
      this.cursor.skipBlanks()
      const word = parseWord(this.cursor, this.readers)
      if (word === undefined) return words
      words.push(word)
    }
  }

  private readCase(): Bare<CompoundCommand> {
    const { cursor } = this
    cursor.skipBlanks()
    const word = parseWord(cursor, this.readers)
    if (word === undefined) throw cursor.error('case has no word')
    this.skipLines()
    if (cursor.match(/in(?=\s)/y) === undefined) throw cursor.error('in is missing')
    const arms: { patterns: Word[]; body: Script }[] = []
    for (;;) {
      this.skipLines()
      if (this.peekReserved() === 'esac') break
      cursor.match(/\(/y)
      const patterns: Word[] = []
      for (;;) {
        cursor.skipBlanks()
        const pattern = parseWord(cursor, this.readers)
        if (pattern === undefined) throw cursor.error('a pattern is missing')
        patterns.push(pattern)
        cursor.skipBlanks()
        if (cursor.take() === ')') break
      }
      arms.push({ patterns, body: this.readScript(() => false) })
      cursor.match(/;;&|;;|;&/y)
    }
    this.expect('esac')
    return { kind: 'case', word, arms }
  }

  private readNamedFunction(): Bare<CompoundCommand> {
    const { cursor } = this
    cursor.skipBlanks()
    const name = cursor.match(/[^\s;&|()<>$'"`\\={}]+/y)
    if (name === undefined) throw cursor.error('function has no name')
    cursor.match(/[ \t]*\([ \t]*\)/y)
    this.skipLines()
    return { kind: 'function', name, body: this.cursor.nested(() => this.readCommand()) }
  }

  private readFunction(start: number): CompoundCommand | undefined {
    const { cursor } = this
    const header = cursor.match(FUNCTION_NAME)
    if (header === undefined) return undefined
    this.skipLines()
    const body = cursor.nested(() => this.readCommand())
    const name = header.replace(/[ \t]*\([ \t]*\)$/, '')
    return { kind: 'function', name, body, redirects: [], start, end: cursor.position }
  }

  /** Inside `[[ … ]]` the usual separators are operators. */
  private readTest(): Word[] {
    const { cursor } = this
    const words: Word[] = []
    for (;;) {
      this.skipLines()
      if (cursor.done) throw cursor.error('[[ is not closed')
      if (cursor.match(/\]\](?=[\s;&|)<>]|$)/y) !== undefined) return words
      if (cursor.match(/&&|\|\||[()<>|&;]/y) !== undefined) continue
      const word = parseWord(cursor, this.readers)
      if (word === undefined) throw cursor.error(`${cursor.peek()} is not expected here`)
      words.push(word)
    }
  }

  private readSimple(): SimpleCommand {
    const { cursor } = this
    const start = cursor.position
    const command: SimpleCommand = {
      kind: 'simple',
      assignments: [],
      words: [],
      redirects: [],
      start,
      end: start,
    }
    for (;;) {
      cursor.skipBlanks()
      const redirect = this.readRedirect()
      if (redirect !== undefined) command.redirects.push(redirect)
      else if (!this.readAssignment(command)) {
        const word = parseWord(cursor, this.readers)
        if (word === undefined) break
        command.words.push(word)
      }
      command.end = cursor.position
    }
    if (command.end === start)
      throw cursor.error(`${cursor.peek() || 'the end'} is not expected here`)
    return command
  }

  /** An assignment in front of the program, or an argument of `export` and the like. */
  private readAssignment(command: SimpleCommand): boolean {
    const { cursor } = this
    const start = cursor.position
    if (command.words.length > 0 && !isDeclaration(command.words[0], cursor.text)) return false
    const head = cursor.match(ASSIGNMENT)
    if (head === undefined) return false
    const name = /^\w+/.exec(head)?.[0] ?? ''
    const assignment: Assignment = {
      name,
      append: head.endsWith('+='),
      values: [],
      start,
      end: cursor.position,
    }
    if (cursor.peek() === '(') {
      cursor.take()
      this.skipLines()
      while (cursor.peek() !== ')') {
        cursor.match(/\[[^\]\s]*\]=/y)
        const word = parseWord(cursor, this.readers)
        if (word === undefined) throw cursor.error('an array is not closed')
        assignment.values.push(word)
        this.skipLines()
      }
      cursor.take()
    } else {
      const at = cursor.position
      assignment.values.push(parseWord(cursor, this.readers) ?? { parts: [], start: at, end: at })
    }
    assignment.end = cursor.position
    command.assignments.push(assignment)
    return true
  }

  private readRedirect(): Redirect | undefined {
    const { cursor } = this
    const start = cursor.position
    if (/[<>]/.test(cursor.peek()) && cursor.peek(1) === '(') return undefined
    const head = cursor.match(REDIRECT)
    if (head === undefined) return undefined
    const operator = /[<>&|-]+$/.exec(head)?.[0] ?? head
    cursor.skipBlanks()
    const target = parseWord(cursor, this.readers)
    if (target === undefined) throw cursor.error(`${operator} has no target`)
    const redirect: Redirect = {
      operator,
      descriptor: head.slice(0, head.length - operator.length),
      target,
      start,
      end: cursor.position,
    }
    if (operator === '<<' || operator === '<<-') {
      const delimiter = target.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
      const quoted = target.parts.some((part) => part.kind === 'text' && part.quoted)
      this.quotedEnds.set(redirect, { delimiter, quoted, dashed: operator === '<<-' })
      this.pending.push(redirect)
    }
    return redirect
  }
}

/** A command whose place and redirections are not known yet. */
type Bare<T> = T extends unknown ? Omit<T, 'start' | 'end' | 'redirects'> : never

const isDeclaration = (word: Word | undefined, text: string): boolean =>
  word !== undefined &&
  /^(export|declare|typeset|local|readonly)$/.test(text.slice(word.start, word.end))
