import { type CharSet, charSet, type SecretScan } from './secret-scan.ts'

interface TokenForm {
  chars: CharSet
  /** Characters after the prefix. */
  least: number
  /** What has another length is something else. */
  most?: number
  /** Ordinary words share the prefix: only what has digits too is a token. */
  mixed?: true
  /** What else the characters after the prefix must be. */
  is?: RegExp
}

const WORD = charSet(/[\w-]/)
const ALNUM = charSet(/[A-Za-z0-9]/)
const UPPER = charSet(/[A-Z0-9]/)
const HEX = charSet(/[0-9a-f]/)
const DOTTED = charSet(/[\w.-]/)
const BASE64 = charSet(/[\w+/=-]/)

/** What the tokens of well-known services begin with. Prefixes of one form are separated by spaces. */
const FORMS: ReadonlyArray<[prefixes: string, form: TokenForm]> = [
  ['AKIA ASIA', { chars: UPPER, least: 16, most: 16 }],
  ['AIza', { chars: WORD, least: 30 }],
  ['ya29.', { chars: DOTTED, least: 20 }],
  ['1//0', { chars: WORD, least: 30 }],
  ['GOCSPX-', { chars: WORD, least: 20 }],
  ['sk- pk- rk-', { chars: WORD, least: 16, mixed: true }],
  ['sk_live_ sk_test_ rk_live_ rk_test_ whsec_', { chars: BASE64, least: 12 }],
  ['ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', { chars: WORD, least: 16 }],
  ['glpat- gldt- glrt- glptt- glcbt- glsoat-', { chars: DOTTED, least: 16 }],
  [
    'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe. xapp-',
    { chars: DOTTED, least: 10 },
  ],
  ['SG.', { chars: DOTTED, least: 40, is: /\./, mixed: true }],
  ['SK', { chars: HEX, least: 32, most: 32 }],
  ['key-', { chars: HEX, least: 32, most: 32 }],
  ['pypi-', { chars: WORD, least: 32, mixed: true }],
  ['hf_ gsk_ r8_ tvly- xai- nvapi- pplx- re_', { chars: WORD, least: 20, mixed: true }],
  ['dop_v1_ doo_v1_ dor_v1_', { chars: ALNUM, least: 32 }],
  ['dckr_pat_ dckr_oat_', { chars: WORD, least: 20 }],
  ['shpat_ shpca_ shppa_ shpss_', { chars: ALNUM, least: 24 }],
  ['ATATT ATCTT ATBB', { chars: BASE64, least: 20, mixed: true }],
  ['npm_', { chars: ALNUM, least: 20 }],
  ['AGE-SECRET-KEY-1', { chars: ALNUM, least: 20 }],
  ['hvs. hvb. hvr.', { chars: WORD, least: 20 }],
  ['dp.pt. dp.st. dp.ct.', { chars: DOTTED, least: 30 }],
  [
    'glsa_ glc_ lin_api_ sntrys_ sntryu_ figd_ rubygems_ sbp_ sb_secret_ xkeysib- PMAK- NRAK- ops_eyJ',
    { chars: BASE64, least: 20 },
  ],
  ['dapi', { chars: HEX, least: 32, most: 34 }],
  [
    'sq0csp- sq0atp- pul- secret_ ntn_ tskey- cfut_ vercel_ phx_ lsv2_',
    { chars: WORD, least: 20, mixed: true },
  ],
  ['eyJ', { chars: DOTTED, least: 20, is: /^[\w-]+\.(?:eyJ|[\w-]*\.)/ }],
  ['mfa.', { chars: WORD, least: 60 }],
]

const FORM_OF = new Map(
  FORMS.flatMap(([prefixes, form]) => prefixes.split(' ').map((prefix) => [prefix, form] as const)),
)
const quote = (text: string): string => text.replace(/[.+/]/g, '\\$&')
const ANCHOR = new RegExp(
  [...FORM_OF.keys()]
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
    const form = FORM_OF.get(hit[0])
    const from = hit.index + hit[0].length
    if (form === undefined || !startsWord(scan, hit.index)) continue
    const judged = scan.runEnd(from, form.chars, JUDGED_CHARS)
    if (!fits(text.slice(from, judged), form)) continue
    const end = judged - from < JUDGED_CHARS ? judged : scan.runEnd(judged, form.chars)
    scan.hide(hit.index, end)
    ANCHOR.lastIndex = end
  }
}

/** A letter before it makes it part of another word, unless that is what is left of an escape. */
const startsWord = ({ text, look }: SecretScan, at: number): boolean => {
  look(1)
  if (at === 0 || !ALNUM.has(text.charCodeAt(at - 1))) return true
  const before = text.slice(Math.max(0, at - 3), at)
  return /\\[nrtbf]$/.test(before) || /%[0-9a-f]{2}$/i.test(before)
}

const fits = (rest: string, { least, most = JUDGED_CHARS, mixed, is }: TokenForm): boolean => {
  if (rest.length < least || rest.length > most) return false
  if (mixed === true && !(/\d/.test(rest) && /[A-Za-z]/.test(rest))) return false
  return is === undefined || is.test(rest)
}

/** Tokens that are known by their shape alone, and addresses that let whoever has them post. */
const SHAPES: ReadonlyArray<[part: string, shape: RegExp]> = [
  // A Telegram bot's token.
  [':A', /(?<![0-9])[0-9]{6,12}:A[\w-]{32,36}(?![\w-])/g],
  // A Discord bot's token: its id, a time and a signature.
  ['.', /(?<![\w.-])[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{25,40}(?![\w-])/g],
  [
    'hooks.slack',
    /(?<=hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,200}/g,
  ],
  [
    'discord',
    /(?<=discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/)[0-9]{5,25}\/[\w-]{8,200}/g,
  ],
  ['webhook.office', /(?<=webhook\.office\.com\/webhookb2\/)[\w@/-]{8,400}/g],
]

export const hideShapedTokens = (scan: SecretScan): void => {
  for (const [part, shape] of SHAPES) {
    // Few texts have the part, and looking for a plain string costs next to nothing.
    if (!scan.text.includes(part)) continue
    for (const { index, 0: found } of scan.text.matchAll(shape)) {
      scan.look(found.length)
      scan.hide(index, index + found.length)
    }
  }
}
