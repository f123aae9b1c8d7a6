import { fail, ok, type Result, StewardError } from '@steward/contract'

/** One step of a path: a field, a place in an array, or every element. */
export type PathPart = { field: string } | { index: number } | { every: true }

const TOKENS: readonly [RegExp, (match: string) => PathPart][] = [
  [/^\.([^\s.[\]'"*?()@,:\\]+)/, (field) => ({ field })],
  [/^\['((?:[^'\\]|\\['\\])*)'\]/, (text) => ({ field: text.replace(/\\(.)/g, '$1') })],
  [/^\["((?:[^"\\]|\\["\\])*)"\]/, (text) => ({ field: text.replace(/\\(.)/g, '$1') })],
  [/^\[(0|[1-9]\d{0,8})\]/, (digits) => ({ index: Number(digits) })],
  [/^\[(\*)\]/, () => ({ every: true })],
]

/** Reads `$`, `.name`, `['name']`, `[0]` and `[*]`; anything else is named with its place. */
export const parsePath = (path: string): Result<PathPart[]> => {
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
