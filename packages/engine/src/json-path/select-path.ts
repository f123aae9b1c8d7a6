import { fail, isJsonObject, ok, type Result, StewardError } from '@steward/contract'

/**
 * The value at a path such as `$.data.items`: a small subset of JSONPath, `$`, `.name`, `['name']`,
 * `[0]` and `[*]`. A missing value is undefined; after `[*]` the value is the array of all existing
 * ones. Only an invalid path is an error.
 */
export const selectPath = (value: unknown, path: string): Result<unknown> => {
  const parts = parsePath(path)
  return parts.ok ? ok(follow(value, parts.value)) : parts
}

const follow = (value: unknown, parts: readonly PathPart[]): unknown => {
  const [part, ...rest] = parts
  if (part === undefined) return value
  if ('field' in part) {
    const found = isJsonObject(value) && Object.hasOwn(value, part.field)
    return found ? follow(value[part.field], rest) : undefined
  }
  if (!Array.isArray(value)) return undefined
  if ('index' in part) return follow(value[part.index], rest)
  const selected = value
    .map((element) => follow(element, rest))
    .filter((each) => each !== undefined)
  const nested = rest.some((each) => 'every' in each)
  return nested ? selected.flat() : selected
}

/** One step of a path: a field, an array index, or every element. */
type PathPart = { field: string } | { index: number } | { every: true }

const TOKENS: readonly [RegExp, (match: string) => PathPart][] = [
  [/^\.([^\s.[\]'"*?()@,:\\]+)/, (field) => ({ field })],
  [/^\['((?:[^'\\]|\\['\\])*)'\]/, (text) => ({ field: text.replace(/\\(.)/g, '$1') })],
  [/^\["((?:[^"\\]|\\["\\])*)"\]/, (text) => ({ field: text.replace(/\\(.)/g, '$1') })],
  [/^\[(0|[1-9]\d{0,8})\]/, (digits) => ({ index: Number(digits) })],
  [/^\[(\*)\]/, () => ({ every: true })],
]

/**
 * Parses `$`, `.name`, `['name']`, `[0]` and `[*]`; anything else is reported with its position.
 */
const parsePath = (path: string): Result<PathPart[]> => {
  const wrong = (reason: string) =>
    fail(new StewardError('invalid_input', { subject: `path '${path}'`, reason }))
  if (!path.startsWith('$')) {
    const example = /^[\p{L}_]/u.test(path) ? `$.${path}` : '$.data.items'
    return wrong(`must start with $, for example ${example}`)
  }
  const parts: PathPart[] = []
  for (let rest = path.slice(1); rest !== ''; ) {
    const read = readPart(rest)
    if (read === undefined) {
      const column = path.length - rest.length + 1
      return wrong(
        `'${rest}' at column ${column} is not understood; use .name, ['name'], [0] or [*]`,
      )
    }
    parts.push(read.part)
    rest = rest.slice(read.length)
  }
  return ok(parts)
}

const readPart = (rest: string): { part: PathPart; length: number } | undefined => {
  for (const [pattern, toPart] of TOKENS) {
    const match = pattern.exec(rest)
    if (match?.[1] !== undefined) return { part: toPart(match[1]), length: match[0].length }
  }
  return undefined
}
