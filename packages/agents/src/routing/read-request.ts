import { isPrefix } from './everyday-words.ts'
import { markNegation } from './mark-negation.ts'
import { maskQuotes, QUOTE_MARK } from './mask-quotes.ts'
import { stem } from './stem.ts'
import type { Token } from './token.ts'

export interface Reading {
  tokens: Token[]
  quoted: readonly string[]
}

/** Longer requests are judged by their beginning: the request comes first, material after it. */
const MAX_CHARS = 20_000
const MAX_TOKENS = 1500

const PIECE =
  /@?[\p{L}\p{N}]+(?:'[\p{L}]+)*|[.;:!?\n]+|[,()[\]]|\s[-\u2013\u2014]+\s|\u2014|\u{fffc}/gu

/** A request as words for matching. */
export const readRequest = (request: string): Reading => {
  const masked = maskQuotes(request.slice(0, MAX_CHARS))
  const tokens: Token[] = []
  let sentence = 0
  let clause = 0
  let isHeadOpen = true
  let isFirstOpen = true
  for (const [piece] of masked.text.matchAll(PIECE)) {
    if (tokens.length >= MAX_TOKENS) break
    if (/^[.;:!?\n]/.test(piece)) {
      sentence += 1
      clause += 1
      isHeadOpen = true
      isFirstOpen = true
      const last = tokens.at(-1)
      if (last !== undefined && piece.includes('?')) last.isAsked = true
      continue
    }
    if (/^[,()[\]\s\u2014]/.test(piece)) {
      clause += 1
      isHeadOpen = true
      const last = tokens.at(-1)
      if (last !== undefined) last.isCalled = true
      continue
    }
    const text = piece.replace(/^@/, '').replace(/'s$/i, '')
    const lower = piece === QUOTE_MARK ? QUOTE_MARK : text.toLowerCase()
    const isAddressed = piece.startsWith('@')
    tokens.push({
      text,
      lower,
      stem: stem(lower),
      sentence,
      clause,
      isHead: isHeadOpen || JOINS.has(tokens.at(-1)?.lower ?? ''),
      isFirst: isFirstOpen,
      deniedBy: undefined,
      isOther: false,
      isAddressed,
      isCalled: false,
      isAsked: false,
    })
    if (!isPrefix(lower)) {
      isHeadOpen = false
      isFirstOpen = false
    }
  }
  markNegation(tokens)
  return { tokens, quoted: masked.quoted }
}

/** After these a new request starts. */
const JOINS: ReadonlySet<string> = new Set([
  'and',
  'then',
  'to',
  'or',
  'but',
  'just',
  'please',
  'you',
])
