import { findWildcardEnds, type Wildcard } from '@steward/contract'

const LONGEST_PATH = 4096

/**
 * Whether a path matches a pattern or is below a match. `**` is anything, `*` anything but a slash.
 */
export const matchesGlob = (
  pattern: string,
  path: string,
  home: string,
  work = { steps: 0 },
): boolean => {
  const expanded = pattern === '~' || pattern.startsWith('~/') ? home + pattern.slice(1) : pattern
  const whole = withoutEnd(expanded)
  if (whole === '') return true
  // A bare name matches anywhere.
  const rooted = whole.startsWith('/') || whole.startsWith('**') ? whole : `**/${whole}`
  const start = path.slice(0, LONGEST_PATH)
  return findWildcardEnds(parseGlob(rooted), start, { work }).some(
    (from, end) => from === 0 && (end === start.length || start[end] === '/'),
  )
}

/** Removes a final `/` or `/**`, because a pattern includes everything below its matches anyway. */
const withoutEnd = (pattern: string): string => {
  let end = pattern.length
  while (pattern[end - 1] === '/') end -= 1
  if (pattern.endsWith('/**', end)) return pattern.slice(0, end - 3)
  return pattern.slice(0, end)
}

const parseGlob = (glob: string): Wildcard[] =>
  glob.split(/(\*\*\/?|\*|\?)/).flatMap((piece): Wildcard[] => {
    if (piece === '**') return [{ kind: 'many' }]
    if (piece === '*') return [{ kind: 'many', but: '/' }]
    if (piece === '?') return [{ kind: 'one', but: '/' }]
    const chars = piece.split('').map((char): Wildcard => ({ kind: 'char', char }))
    if (piece !== '**/') return chars
    return [{ kind: 'optional', parts: 2 }, { kind: 'many' }, { kind: 'char', char: '/' }]
  })

export const matchesAny = (patterns: readonly string[], path: string, home: string): boolean =>
  patterns.some((pattern) => matchesGlob(pattern, path, home))
