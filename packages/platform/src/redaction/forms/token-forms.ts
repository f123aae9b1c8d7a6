import type { SecretScan } from './secret-scan.ts'
import { ALNUM, FORM_OF_PREFIX, type TokenForm } from './token-prefixes.ts'

const quote = (text: string): string => text.replace(/[.+/$]/g, '\\$&')
const ANCHOR = new RegExp(
  [...FORM_OF_PREFIX.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map(quote)
    .join('|'),
  'g',
)
/** So much is looked at before a run is judged; only what is masked is followed to its end. */
const JUDGED_CHARS = 300

export const hidePrefixedTokens = (scan: SecretScan): void => {
  const { text } = scan
  ANCHOR.lastIndex = 0
  for (let hit = ANCHOR.exec(text); hit !== null; hit = ANCHOR.exec(text)) {
    const form = FORM_OF_PREFIX.get(hit[0])
    const from = hit.index + hit[0].length
    if (form === undefined || !startsWord(scan, hit.index)) continue
    const judged = scan.runEnd(from, form.chars, JUDGED_CHARS)
    if (!fits(text.slice(from, judged), form)) continue
    const end = judged - from < JUDGED_CHARS ? judged : scan.runEnd(judged, form.chars)
    scan.hide(hit.index, end)
    ANCHOR.lastIndex = end
  }
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
