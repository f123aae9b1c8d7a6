import { partsOf } from './held-parts.ts'
import { charSet, MASK_START, type SecretScan } from './secret-scan.ts'
import { looksGenerated } from './secret-value.ts'

const HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i
const REST_END = charSet(/["'`\r\n]/)
const LIST_END = charSet(/['\r\n]/)
const BACKSLASH_QUOTE = /\\+$/
const JUDGED_CHARS = 400
const SCHEMES =
  /^(?:bearer|basic|token|digest|apikey|api-key|key|negotiate|ntlm|bot|hawk|splunk|sso-key|geniekey|oauth|aws4-hmac-sha256|signature|zoho-oauthtoken|shopify|jwt)$/i
/** Schemes whose credentials are a list; the secret is somewhere in it. */
const LISTS = /^(?:digest|hawk|oauth|aws4-hmac-sha256|signature)$/i
const PLACEHOLDER = /^(?:\\?\$|<|\{|\*|…|\.{3}|%s|https?:)|…$/

export const isHeaderName = (name: string): boolean => HEADER.test(name)

/** Hides what an `Authorization` or `Cookie` header holds. Gives back where it ends, or `from`. */
export const hideHeader = (scan: SecretScan, name: string, from: number): number => {
  const { text } = scan
  const opener = /^\\{0,3}["'`]/.exec(text.slice(from, from + 4))?.[0].length ?? 0
  const start = from + opener
  const judged = scan.find(start, REST_END, JUDGED_CHARS)
  const line = text.slice(start, judged).split(/\\[nr]/, 1)[0] ?? ''
  const near = line.replace(BACKSLASH_QUOTE, '')
  const isOpen = judged - start >= JUDGED_CHARS && near.length === judged - start
  const at = /cookie$/i.test(name) ? cookieStart(near) : credentialsStart(near)
  if (at === undefined) return from
  const rest = near.slice(at.from)
  if (at.isQuotedList) {
    const listEnd = scan.find(start + at.from, LIST_END)
    scan.hide(start + at.from, listEnd)
    return listEnd
  }
  const word = at.isList ? rest : (/^\S+/.exec(rest)?.[0] ?? '')
  const end = start + at.from + word.length
  const whole = isOpen && end === judged ? scan.find(judged, REST_END) : end
  scan.hide(start + at.from, whole)
  return whole
}

interface Credentials {
  from: number
  /** They go on to the end of the line, or of the quotes around the header. */
  isList: boolean
  /** Their parts have quotes of their own. */
  isQuotedList: boolean
}

const cookieStart = (line: string): Credentials | undefined =>
  !line.startsWith(MASK_START) && !PLACEHOLDER.test(line) && /^[^\s=;,]{1,120}=[^\s;]/.test(line)
    ? { from: 0, isList: true, isQuotedList: false }
    : undefined

const credentialsStart = (line: string): Credentials | undefined => {
  const [whole = '', scheme = '', first = ''] = /^([\w-]{1,40})\s{1,8}(\S+)/.exec(line) ?? []
  if (whole !== '') {
    if (first.startsWith(MASK_START) || PLACEHOLDER.test(first)) return undefined
    const isKnown = SCHEMES.test(scheme)
    if (!isKnown && !looksGenerated(first)) return undefined
    return {
      from: whole.length - first.length,
      isList: false,
      isQuotedList: LISTS.test(scheme) || /^\w{1,20}=\\{0,3}$/.test(first),
    }
  }
  const word = /^\S{8,}/.exec(line)?.[0] ?? ''
  if (word.startsWith(MASK_START) || PLACEHOLDER.test(word) || !/\d/.test(word)) return undefined
  return { from: 0, isList: false, isQuotedList: false }
}

/** `Bearer` and `Basic` with what follows, in any text. */
const ALONE = /\b(?:bearer|basic)(?:[ \t]{1,4}|%20|\+)/gi
const SCHEME_PARTS = partsOf('bearer|basic')
const BASIC =
  /^(?=.*[a-z0-9])(?=.*[A-Z])[A-Za-z0-9+/]{6,}={1,2}$|^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{16,}$/
const CREDENTIAL = charSet(/[\w.~+/=-]/)

export const hideBareCredentials = (scan: SecretScan): void => {
  if (!scan.holds(SCHEME_PARTS)) return
  for (const { index, 0: hit } of scan.text.matchAll(ALONE)) {
    const start = index + hit.length
    const judged = scan.runEnd(start, CREDENTIAL, JUDGED_CHARS)
    const word = scan.text.slice(start, judged).replace(/[.]+$/, '')
    if (word.length < 8 || !(/\d|=$/.test(word) || /[a-z][A-Z]/.test(word) || word.length >= 24))
      continue
    if (/^basic/i.test(hit) && word.length < JUDGED_CHARS && !BASIC.test(word)) continue
    const isOpen = judged - start >= JUDGED_CHARS
    scan.hide(start, isOpen ? scan.runEnd(judged, CREDENTIAL) : start + word.length)
  }
}
