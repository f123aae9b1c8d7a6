import type { Token } from './meet-tokens.ts'

/**
 * A path pattern of the policy: `~` expands, `**` matches anything, `*` anything except a slash.
 */
export interface PathPattern {
  text: string
  /** Computed on first use, because the fields below rule out most patterns. */
  readonly tokens: readonly Token[]
  /** The directory that contains every match; empty if a match can be in any directory. */
  root: string
  /** The literal characters of the last segment. */
  name: string
  /** The last segment starts with a wildcard: `*.pem`. */
  isSuffix: boolean
  /** The last segment ends with a wildcard: `id_*`. */
  endsOpen: boolean
  /** The whole pattern, if it has no wildcards. */
  fixed: string | undefined
  /** The same for a name in any directory. */
  floating: string | undefined
  /** The text before and after the star, for a name in any directory with exactly one star. */
  around: { before: string; after: string } | undefined
}

export const compilePath = (glob: string, home: string): PathPattern => {
  const expanded = glob === '~' || glob.startsWith('~/') ? home + glob.slice(1) : glob
  const text = expanded.length > 1 ? expanded.replace(/\/+$/, '') : expanded
  // A bare name matches in any directory.
  const whole = text.startsWith('/') || text.startsWith('**') ? text : `**/${text}`
  // A pattern includes everything below its matches anyway.
  const trimmed = whole.replace(/\/\*\*$/, '')
  const fixed = /^[^*?]*/.exec(trimmed)?.[0] ?? ''
  const root = fixed === trimmed ? fixed : fixed.slice(0, fixed.lastIndexOf('/'))
  const last = trimmed.split('/').at(-1) ?? ''
  const name = last.replace(/[*?]/g, '').toLowerCase()
  const isSuffix = /^\*[^*?]+$/.test(last)
  const lower = trimmed.toLowerCase()
  const behind = lower.startsWith('**/') ? lower.slice(3) : undefined
  const [, before, after] = /^([^*?/]*)\*([^*?/]*)$/.exec(behind ?? '') ?? []
  let tokens: readonly Token[] | undefined
  return {
    text: glob,
    get tokens() {
      tokens ??= tokensOf(trimmed)
      return tokens
    },
    root: root.toLowerCase(),
    name,
    isSuffix,
    endsOpen: last.endsWith('*'),
    fixed: isFixed(lower) ? lower : undefined,
    floating: behind !== undefined && isFixed(behind) ? behind : undefined,
    around: before === undefined || after === undefined ? undefined : { before, after },
  }
}

const tokensOf = (glob: string): Token[] => {
  const tokens: Token[] = []
  for (let at = 0; at < glob.length; at += 1) {
    if (glob.startsWith('**', at)) {
      tokens.push({ kind: 'any' })
      at += 1
    } else if (glob[at] === '*') tokens.push({ kind: 'star' })
    else if (glob[at] === '?') tokens.push({ kind: 'one' })
    else tokens.push({ kind: 'char', char: (glob[at] ?? '').toLowerCase() })
  }
  return tokens
}

const isFixed = (part: string): boolean => !/[*?]/.test(part)
