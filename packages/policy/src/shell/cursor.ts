/** A syntax error in a command line, with its position. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError'
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** The nesting limit of the parser; real command lines stay far below it. */
const MAX_DEPTH = 60

/** A position in the text being parsed. */
export class Cursor {
  readonly text: string
  position = 0
  depth: number

  constructor(text: string, depth: number) {
    this.text = text
    this.depth = depth
  }

  get done(): boolean {
    return this.position >= this.text.length
  }

  peek(ahead = 0): string {
    return this.text[this.position + ahead] ?? ''
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.position)
  }

  take(length = 1): string {
    const taken = this.text.slice(this.position, this.position + length)
    this.position = Math.min(this.position + length, this.text.length)
    return taken
  }

  match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.position
    const found = sticky.exec(this.text)?.[0]
    if (found !== undefined) this.position += found.length
    return found
  }

  /** Skips spaces, line continuations and a comment that starts here. */
  skipBlanks(): void {
    for (;;) {
      if (/[ \t\r]/.test(this.peek())) this.position += 1
      else if (this.startsWith('\\\n')) this.position += 2
      else if (this.peek() === '#' && this.isWordStart()) {
        while (!this.done && this.peek() !== '\n') this.position += 1
      } else return
    }
  }

  error(message: string): ShellSyntaxError {
    return new ShellSyntaxError(message, this.position)
  }

  nested<Value>(read: () => Value): Value {
    if (this.depth >= MAX_DEPTH) throw this.error('nested too deep')
    this.depth += 1
    const value = read()
    this.depth -= 1
    return value
  }

  private isWordStart(): boolean {
    return this.position === 0 || /[\s;&|()]/.test(this.text[this.position - 1] ?? '')
  }
}
