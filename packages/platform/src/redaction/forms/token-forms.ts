import type { CharSet, SecretScan } from './secret-scan.ts'
import { ALNUM, eachTokenPrefix, type TokenForm } from './token-prefixes.ts'

interface Prefix {
  text: string
  form: TokenForm
}

/** The prefixes by their first two characters, the longest first; made for the first text. */
interface PrefixTable {
  has: Uint8Array
  of: ReadonlyMap<number, readonly Prefix[]>
}

const createPrefixTable = (): PrefixTable => {
  const has = new Uint8Array(PAIRS)
  const of = new Map<number, Prefix[]>()
  eachTokenPrefix((text, form) => {
    const pair = pairOf(text.charCodeAt(0), text.charCodeAt(1))
    has[pair] = 1
    const others = of.get(pair)
    if (others === undefined) of.set(pair, [{ text, form }])
    else others.push({ text, form })
  })
  for (const prefixes of of.values()) prefixes.sort((a, b) => b.text.length - a.text.length)
  return { has, of }
}

const PAIRS = 1 << 14
const pairOf = (code: number, next: number): number => ((code << 7) ^ next) & (PAIRS - 1)

let table: PrefixTable | undefined
const SHORTEST_TOKEN = 15

/** So much is looked at before a run is judged; only what is masked is followed to its end. */
const JUDGED_CHARS = 300

export const hidePrefixedTokens = (scan: SecretScan): void => {
  const { text } = scan
  const last = text.length - SHORTEST_TOKEN
  if (last < 0) return
  table ??= createPrefixTable()
  const { has, of } = table
  const judge = createRunJudge(scan)
  let code = text.charCodeAt(0)
  for (let at = 0; at <= last; at += 1) {
    const next = text.charCodeAt(at + 1)
    const pair = pairOf(code, next)
    code = next
    if (has[pair] !== 1 || !startsWord(scan, at)) continue
    const end = hideTokenAt(scan, at, of.get(pair) ?? [], judge)
    if (end === at) continue
    code = text.charCodeAt(end)
    at = end - 1
  }
}

/** Gives back where to go on; `at` if no token begins there. */
const hideTokenAt = (
  scan: SecretScan,
  at: number,
  prefixes: readonly Prefix[],
  judge: RunJudge,
): number => {
  const { text } = scan
  const prefix = prefixes.find((each) => text.startsWith(each.text, at))
  if (prefix === undefined) return at
  const { form } = prefix
  const from = at + prefix.text.length
  const judged = judge(from, form.chars)
  if (!fits(text.slice(from, judged), form)) return at
  const end = judged - from < JUDGED_CHARS ? judged : scan.runEnd(judged, form.chars)
  scan.hide(at, end)
  return end
}

/** The end of the run of these characters that begins at `from`, as far as it is judged. */
type RunJudge = (from: number, chars: CharSet) => number

/** Prefixes may follow each other in one run, so what was seen of it is not looked at again. */
const createRunJudge = (scan: SecretScan): RunJudge => {
  let seen: { chars: CharSet; from: number; end: number; isWhole: boolean } | undefined
  return (from, chars) => {
    const isSame = seen?.chars === chars && from >= seen.from && from <= seen.end
    if (isSame && seen?.isWhole === true) return Math.min(seen.end, from + JUDGED_CHARS)
    const start = isSame ? (seen?.end ?? from) : from
    const end = scan.runEnd(start, chars, from + JUDGED_CHARS - start)
    seen = {
      chars,
      from: isSame ? (seen?.from ?? from) : from,
      end,
      isWhole: end < from + JUDGED_CHARS,
    }
    return end
  }
}

/** A letter before it makes it part of another word, unless it ends an escape, also one of a terminal's colours. */
const startsWord = ({ text, look }: SecretScan, at: number): boolean => {
  look(1)
  const before = text.charCodeAt(at - 1)
  if (at === 0 || !ALNUM.has(before)) return true
  const mayEscape = text[at - 2] === '\\' || text[at - 3] === '%' || (before | 32) === LETTER_M
  return mayEscape && ESCAPE.test(text.slice(Math.max(0, at - 3), at))
}

const LETTER_M = 109
const ESCAPE = /\\[nrtbf]$|%[0-9a-f]{2}$|[[0-9;][0-9]m$/i

/** What manuals write instead of a token. */
const FILLER = /^(?:([xX*.#0])\1*$|(?:your|my|example|xxx)[-_])/
/** A name of many words that holds a prefix among them. */
const JOINED_WORDS = /^(?:[A-Za-z]{1,14}[_-]){3,30}[A-Za-z0-9]{1,6}$/
const FILLERS = ['xxxxxxxx', 'XXXXXXXX', '...']

const fits = (rest: string, { least, most = JUDGED_CHARS, mixed, is }: TokenForm): boolean => {
  if (rest.length < least || rest.length > most) return false
  if (mixed === true) {
    if (!(/\d/.test(rest) && /[A-Za-z]/.test(rest)) || JOINED_WORDS.test(rest)) return false
  }
  if (FILLER.test(rest) || FILLERS.some((filler) => rest.includes(filler))) return false
  return is === undefined || is.test(rest)
}
