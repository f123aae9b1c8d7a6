/** Where something stands in its script's text. */
export interface Span {
  start: number
  end: number
}

export type WordPart =
  | { kind: 'text'; text: string; quoted: boolean }
  | {
      kind: 'parameter'
      name: string
      /** The operator after the name (`:-`, `%%`, …), or empty. */
      operator: string
      argument?: Word
      /** What stands in `[…]` after the name. */
      subscript?: WordPart[]
      indirect: boolean
      quoted: boolean
    }
  | { kind: 'command'; script: Script; quoted: boolean }
  | { kind: 'arithmetic'; parts: WordPart[] }
  | { kind: 'process'; script: Script; direction: '<' | '>' }

export interface Word extends Span {
  parts: WordPart[]
}

export interface Assignment extends Span {
  name: string
  /** `[…]` after the name, as it is written. */
  subscript: string
  append: boolean
  /** One word, or the elements of an array. */
  values: Word[]
}

export interface Redirect extends Span {
  /** `>`, `>>`, `<`, `<<`, `<<<`, `&>`, `>&`, `<&`, `<>`, `>|`, `&>>` */
  operator: string
  descriptor: string
  target: Word
  /** The body of a here-document. */
  body?: Word
}

export interface SimpleCommand extends Span {
  kind: 'simple'
  assignments: Assignment[]
  words: Word[]
  redirects: Redirect[]
}

type Compound =
  | { kind: 'pipeline'; commands: Command[] }
  | { kind: 'block'; body: Script; subshell: boolean }
  | { kind: 'if'; branches: { test: Script; body: Script }[]; otherwise?: Script }
  | { kind: 'while'; test: Script; body: Script }
  | { kind: 'for'; name: string; words?: Word[]; body: Script }
  | { kind: 'case'; word: Word; arms: { patterns: Word[]; body: Script }[] }
  | { kind: 'function'; name: string; body: Command }
  | { kind: 'test'; words: Word[] }
  | { kind: 'arithmetic'; parts: WordPart[] }

export type CompoundCommand = Compound & Span & { redirects: Redirect[] }
export type Command = SimpleCommand | CompoundCommand

/** Commands in order; `connector` is what stands after each. */
export interface Script {
  source: string
  items: { command: Command; connector: ';' | '&' | '&&' | '||' }[]
}
