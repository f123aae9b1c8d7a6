const LONGEST_PATH = 4096

/**
 * Whether a path matches a pattern or is below a match. `**` is anything, `*` anything but a slash.
 */
export const matchesGlob = (pattern: string, path: string, home: string): boolean => {
  const expanded = pattern === '~' || pattern.startsWith('~/') ? home + pattern.slice(1) : pattern
  const whole = expanded.replace(/\/(\*\*)?\/*$/, '')
  if (whole === '') return true
  // A bare name matches anywhere.
  const rooted = whole.startsWith('/') || whole.startsWith('**') ? whole : `**/${whole}`
  const source = rooted
    .split(/(\*\*\/?|\*|\?)/)
    .map((piece) => {
      if (piece === '**' || piece === '**/') return piece === '**' ? '.*' : '(?:.*/)?'
      if (piece === '*') return '[^/]*'
      return piece === '?' ? '[^/]' : piece.replace(/[.+^${}()|[\]\\]/g, '\\$&')
    })
    .join('')
  return new RegExp(`^${source}(?:/.*)?$`, 's').test(path.slice(0, LONGEST_PATH))
}

export const matchesAny = (patterns: readonly string[], path: string, home: string): boolean =>
  patterns.some((pattern) => matchesGlob(pattern, path, home))
