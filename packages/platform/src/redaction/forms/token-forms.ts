import type { SecretScan } from './secret-scan.ts'
import { ALNUM, eachTokenPrefix, type TokenForm } from './token-prefixes.ts'

/** The prefixes by their first two characters; made for the first text. */
interface PrefixTable {
  has: Uint8Array
  of: ReadonlyMap<number, ReadonlyMap<string, TokenForm>>
}

const createPrefixTable = (): PrefixTable => {
  const has = new Uint8Array(PAIRS)
  const of = new Map<number, Map<string, TokenForm>>()
  eachTokenPrefix((prefix, form) => {
    const pair = pairAt(prefix, 0)
    has[pair] = 1
    const others = of.get(pair)
    if (others === undefined) of.set(pair, new Map([[prefix, form]]))
    else others.set(prefix, form)
  })
  return { has, of }
}

const PAIRS = 1 << 14
const pairAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) << 7) ^ text.charCodeAt(at + 1)) & (PAIRS - 1)

let table: PrefixTable | undefined
const SHORTEST_TOKEN = 15

/** So much is looked at before a run is judged; only what is masked is followed to its end. */
const JUDGED_CHARS = 300

export const hidePrefixedTokens = (scan: SecretScan): void => {
  const { text } = scan
  table ??= createPrefixTable()
  const last = text.length - SHORTEST_TOKEN
  for (let at = 0; at <= last; at += 1) {
    if (table.has[pairAt(text, at)] === 1) at = hideTokenAt(scan, at, table)
  }
}

/** Gives back the last character that needs no other look. */
const hideTokenAt = (scan: SecretScan, at: number, { of }: PrefixTable): number => {
  const { text } = scan
  let prefix = ''
  let form: TokenForm | undefined
  for (const [each, itsForm] of of.get(pairAt(text, at)) ?? []) {
    if (each.length <= prefix.length || !text.startsWith(each, at)) continue
    prefix = each
    form = itsForm
  }
  if (form === undefined || !startsWord(scan, at)) return at
  const from = at + prefix.length
  const judged = scan.runEnd(from, form.chars, JUDGED_CHARS)
  if (!fits(text.slice(from, judged), form)) return at
  const end = judged - from < JUDGED_CHARS ? judged : scan.runEnd(judged, form.chars)
  scan.hide(at, end)
  return end - 1
}

/** A letter before it makes it part of another word, unless it ends an escape, also one of a terminal's colours. */
const startsWord = ({ text, look }: SecretScan, at: number): boolean => {
  look(1)
  if (at === 0 || !ALNUM.has(text.charCodeAt(at - 1))) return true
  const before = text.slice(Math.max(0, at - 3), at)
  return /\\[nrtbf]$|%[0-9a-f]{2}$|[[0-9;][0-9]m$/i.test(before)
}

/** What manuals write instead of a token. */
const FILLER = /^(?:([xX*.#0])\1*|(?:your|my|example|xxx)[-_].*|.*(?:xxxxxxxx|XXXXXXXX|\.\.\.).*)$/

const fits = (rest: string, { least, most = JUDGED_CHARS, mixed, is }: TokenForm): boolean => {
  if (rest.length < least || rest.length > most || FILLER.test(rest)) return false
  if (mixed === true && !(/\d/.test(rest) && /[A-Za-z]/.test(rest))) return false
  return is === undefined || is.test(rest)
}
