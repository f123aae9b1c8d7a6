import {
  Composer,
  Document,
  type DocumentOptions,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  YAMLParseError,
} from 'yaml'

/** Beyond these the library's work grows faster than the text, up to exponentially. */
export const YAML_LIMITS = { chars: 256 * 1024, directives: 10, errors: 20 }

type Options = ParseOptions & DocumentOptions & SchemaOptions

/**
 * Parses one YAML document in a time that is bounded by its length. Keys that are lists or maps are
 * refused: turned into text, 400 of them nested in one line take ten seconds. Repeated keys are found
 * here, because the library compares each key with every other one. As with the library's own
 * `parseDocument`, a text that is not acceptable has `errors`; the rest of the document is then unusable.
 */
export const parseYamlDocument = (text: string, options: Options = {}): Document => {
  const lines = options.lineCounter ?? new LineCounter()
  if (text.length > YAML_LIMITS.chars) {
    const message = `it is longer than ${YAML_LIMITS.chars} characters`
    return refused(0, message, options, lines)
  }
  const composer = new Composer({ ...options, uniqueKeys: false, prettyErrors: false })
  let document: Document | undefined
  try {
    const tokens = readTokens(text, new Parser(lines.addNewLine))
    for (const next of composer.compose(tokens, true, text.length)) {
      if (document !== undefined) {
        return refused(next.range[0], 'it contains more than one document', options, lines)
      }
      document = next
    }
  } catch (thrown) {
    if (thrown instanceof YamlFault) return refused(thrown.offset, thrown.message, options, lines)
    throw thrown
  }
  if (document === undefined) return new Document(null, options)
  document.errors.push(...findKeyErrors(document))
  document.errors.sort((one, other) => one.pos[0] - other.pos[0])
  document.errors.splice(YAML_LIMITS.errors)
  if (options.prettyErrors !== false) {
    for (const error of document.errors) addPlace(error, lines)
  }
  return document
}

class YamlFault extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Stops at the first mistake between documents: the library would keep hundreds of thousands. */
const readTokens = function* (text: string, parser: Parser): ReturnType<Parser['parse']> {
  let directives = 0
  for (const token of parser.parse(text)) {
    if (token.type === 'error') throw new YamlFault(token.offset, token.message)
    if (token.type === 'directive') directives++
    if (directives > YAML_LIMITS.directives) {
      throw new YamlFault(token.offset, 'it has too many directives')
    }
    yield token
  }
}

/** Walks by hand, because the library's `visit` copies the path of every node. */
const findKeyErrors = (document: Document): YAMLParseError[] => {
  const errors: YAMLParseError[] = []
  const waiting: unknown[] = [document.contents]
  while (waiting.length > 0 && errors.length < YAML_LIMITS.errors) {
    const node = waiting.pop()
    if (isSeq(node)) {
      for (const item of node.items.toReversed()) waiting.push(item)
    }
    if (isMap(node)) {
      const known = new Set<unknown>()
      for (const pair of node.items) {
        const error = findKeyError(pair, known)
        if (error !== undefined) errors.push(error)
      }
      for (const { key, value } of node.items.toReversed()) waiting.push(value, key)
    }
  }
  return errors.slice(0, YAML_LIMITS.errors)
}

const findKeyError = ({ key }: Pair, known: Set<unknown>): YAMLParseError | undefined => {
  const [start, end] = rangeOf(key)
  if (!isScalar(key)) {
    return new YAMLParseError([start, end], 'BAD_COLLECTION_TYPE', 'A key must be a plain value')
  }
  if (known.has(key.value)) {
    return new YAMLParseError([start, end], 'DUPLICATE_KEY', 'Map keys must be unique')
  }
  known.add(key.value)
  return undefined
}

const rangeOf = (node: unknown): [number, number] => {
  const range =
    typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : [0, 0]
}

const refused = (
  offset: number,
  message: string,
  options: Options,
  lines: LineCounter,
): Document => {
  const document = new Document(null, { ...options, prettyErrors: false })
  const error = new YAMLParseError([offset, offset + 1], 'UNEXPECTED_TOKEN', message)
  if (options.prettyErrors !== false) addPlace(error, lines)
  document.errors.push(error)
  return document
}

const addPlace = (error: YAMLParseError, lines: LineCounter): void => {
  const { line, col } = lines.linePos(error.pos[0])
  error.linePos = [{ line, col }]
  error.message += ` at line ${line}, column ${col}`
}
