import type { PathPattern } from './compile-path.ts'
import { ANY, meets, SLASH } from './meet-tokens.ts'
import { type PathTarget, targetOf } from './path-target.ts'

const prepare = (path: string | PathTarget): PathTarget =>
  typeof path === 'string' ? targetOf(path) : path

/** Returns whether a path, which may contain marks, can match the pattern or lie below a match. */
export const matchesPath = (pattern: PathPattern, path: string | PathTarget): boolean => {
  const target = prepare(path)
  if (target.isTooLong) return true
  if (partsEarly(pattern, target)) return false
  if (target.isPlain) {
    const quick = matchesPlain(pattern, target)
    if (quick !== undefined) return quick
  }
  return target
    .ways()
    .some((way) => meets(way, pattern.tokens) || meets(way, [...pattern.tokens, SLASH, ANY]))
}

/** Decides most pairs of pattern and path without comparing tokens. */
const matchesPlain = (
  { fixed, floating, around, root }: PathPattern,
  { lower, segments }: PathTarget,
): boolean | undefined => {
  if (lower.length < root.length) return false
  if (fixed !== undefined) {
    return lower === fixed || fixed === '/' || lower.startsWith(`${fixed}/`)
  }
  if (floating !== undefined) return `${lower}/`.includes(`/${floating}/`)
  if (around === undefined) return undefined
  const { before, after } = around
  return segments().some(
    (name) =>
      name.length >= before.length + after.length &&
      name.startsWith(before) &&
      name.endsWith(after),
  )
}

/** Returns whether a path itself can match the pattern. */
export const namesPath = (pattern: PathPattern, path: string | PathTarget): boolean => {
  const target = prepare(path)
  return target.isTooLong || target.ways().some((way) => meets(way, pattern.tokens))
}

/**
 * Returns whether a match of the pattern lies below the path. Only patterns with a fixed directory
 * count, because one for any directory may match below every path.
 */
export const liesBelow = (pattern: PathPattern, path: string | PathTarget): boolean => {
  const target = prepare(path)
  if (pattern.root === '' || target.isTooLong || partsEarly(pattern, target)) return false
  if (target.lower === '/') return true
  if (target.isPlain) {
    if (pattern.root.startsWith(`${target.lower}/`)) return true
    if (pattern.fixed !== undefined) return false
  }
  return target.ways().some((way) => meets([...way, SLASH, ANY], pattern.tokens))
}

/** Most paths and patterns differ in their first directories. */
const partsEarly = ({ root }: PathPattern, { known }: PathTarget): boolean =>
  known.length >= root.length ? !known.startsWith(root) : !root.startsWith(known)
