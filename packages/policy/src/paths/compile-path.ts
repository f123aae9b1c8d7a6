import type { Token } from './meet-tokens.ts'

/** A path pattern of the policy: `~` expands, `**` is anything, `*` anything but a slash. */
export interface PathPattern {
  text: string
  /** Made when first asked for: most patterns are ruled out by the fields below. */
  readonly tokens: readonly Token[]
  /** The directory that everything it matches is in; empty when it may be anywhere. */
  root: string
  /** The last segment's plain characters. */
  name: string
  /** The last segment may begin with anything: `*.pem`. */
  isSuffix: boolean
  /** The last segment may end with anything: `id_*`. */
  endsOpen: boolean
  /** The whole of it, where it holds nothing but characters. */
  fixed: string | undefined
  /** The same for a name that may be anywhere. */
  floating: string | undefined
  /** The two sides of the star, where it is one name with one star that may be anywhere. */
  around: { before: string; after: string } | undefined
}

export const compilePath = (glob: string, home: string): PathPattern => {
  const expanded = glob === '~' || glob.startsWith('~/') ? home + glob.slice(1) : glob
  const text = expanded.length > 1 ? expanded.replace(/\/+$/, '') : expanded
  // A bare name may be anywhere.
  const whole = text.startsWith('/') || text.startsWith('**') ? text : `**/${text}`
  // Below it is meant anyway.
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
