import type { NameKind } from './secret-names.ts'
import { kindOfName } from './secret-names.ts'
import { MASK_START } from './secret-scan.ts'

/** How a value was written beside its name. */
export interface ValuePlace {
  kind: NameKind
  name: string
  isQuoted: boolean
  /** `=` says that something is set; after `:` there may be any sentence. */
  separator: '=' | ':' | ' '
  /** With spaces around the separator it may be program code. */
  isSpaced: boolean
}

/** Values that say something about a secret and are none: types, states and gaps to be filled. */
const PLAIN =
  /^(?:null|none|nil|undefined|true|false|yes|no|on|off|required|optional|string|str|number|int|integer|boolean|bool|bytes|any|unknown|object|text|varchar|hidden|masked|redacted|removed|omitted|empty|unset|missing|invalid|valid|expired|incorrect|wrong|enabled|disabled|default|change[-_ ]?me|replace[-_ ]?me|fix[-_ ]?me|todo|placeholder|example|secret|basic|bearer|digest|include|allow|allowed|deny|denied|u?int\d*array|await|async|new|function|yield\*?|typeof|n\/a|[*x.•…_-]+\s*|.*(?:x{8}|\*{4}|\.{3}$).*|.*…|.*[$#]\{.*|#[0-9a-f]{3,8}|%[a-z]|%[sdr][^0-9a-f].*|0x[0-9a-f]{1,8}|\{\w*[.}].*|\(\)[,;)]*|\(?sensitive.*|\((?:unchanged|hidden|none|empty|set|not set)\)|!(?:vault|secret|env|ref|sub|reference|encrypted)\b.*|your[-_ ].*|<.*>|\{\{.*|%\w+%|\[.*)$/i
const VARIABLE = /^\\?\$(?:[A-Za-z_]\w*[,;)}\]"']*$|[A-Za-z_][\w:]*-$|[{(\d@*]|env:)/
/** Where a secret is kept: `vault:path`, `ssm:/path`, the reference of a cloud's settings. */
const REFERENCE =
  /^(?:(?:vault|ssm|awssm|gcpsm|azkv|sops|keychain|keyring|secretsmanager|env|file|ref\+[a-z]{2,12}):(?=[/\w])|@Microsoft\.KeyVault\(|projects\/[\w-]{1,40}\/secrets\/|@[\w./~-]{1,200}\.(?:txt|json|pem|key|ya?ml|env)$)/
/** What a manual calls the word behind a flag. */
const METAVARIABLE = /^(?:KEY|TOKEN|VALUE|PASSWORD|PASSPHRASE|CREDENTIALS?)$/
/** Git and GnuPG name a key by its id or fingerprint. */
const SIGNING_KEY = /signing[-_]?key$/i
const KEY_ID = /^(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})!?$/
const NUMBER = /^[\d.,_:]+(?:%|[eE][+-]?\d{1,3})?$/
const PATH =
  /^(?:~|\.{1,2})?\/[\w.@-]+(?:\/[\w.@*-]+)*\/?$|^[A-Za-z]:\\|^[\w-]{1,40}(?:\/[\w.-]{1,60}){1,8}\.[a-z][a-z0-9]{1,4}$/
/** `RSASSA-PSS-SHA256`, `hmac-sha2-512`. */
const ALGORITHM =
  /^(?:[a-z]{2,8}[-_]){0,4}(?:sha|aes|rs|hs|es|ps|rsa|ecdsa|md)[-_]?[0-9]{1,4}(?:[-_][a-z0-9]{2,8}){0,3}$/i
const ADDRESS = /^[a-z][a-z0-9+.-]{1,20}:\/\//i
const CALL =
  /^(?:await |new |!{1,2})?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*){0,8}(?:!?\(|(?:\?\.)?\[|<|\{|`)|^!{1,2}[A-Za-z_$][\w$]*\??\.[A-Za-z_$]|^[@%][A-Za-z_]\w*;$/
const HAS_CALL = /[A-Za-z_]\(|\w\[\w*\]/
const CONSTANT = /^[A-Z]+[0-9]{0,2}(?:_[A-Z]+[0-9]{0,2})+(?:_?[0-9]{1,3})?[,;)]*$/
const SNAKE_MEMBER = /^[a-z_]\w*(?:\.[a-z_][a-z0-9_]*){1,8}$/
const MEMBER = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+){1,8}[;,)!]*$/
/** A member of something numbered, in code: `credentials_1.Credentials;`, `cfg2.apiKey`. */
const NUMBERED_MEMBER = /^[A-Za-z_$]+[0-9]{1,2}(?:\??\.[A-Za-z_$]+){1,8}[;,)!]*$/
/** The name of a type that has a digit: `OAuth2Callback`. */
const TYPE =
  /^[A-Z][A-Za-z]*[0-9]{1,2}(?:[A-Z][a-z]+)*(?:Callback|Handler|Options|Provider|Config|Type|Service|Factory|Client|Manager|Response|Request|Error|Builder|Params|Props|Policy|Store|Resolver|Strategy|Encoder|Metadata)[;,)?]*$/
/** Three words or more, as names in code are written. */
const SNAKE_WORDS = /^[a-z]{2,20}(?:_[a-z]{2,20}){2,8}[0-9]{0,3}[;,)]*$/
/** `Digest::HMAC_SHA1`. */
const MODULE = /^[A-Z]\w{0,40}(?:::[A-Za-z]\w{0,40}){1,6}$/
/** `/^[a-z0-9]+$/i`, `qr/[0-9]+/`. */
const REGEX_LITERAL = /^(?:qr|m)?\/.{0,300}[[(\\^$].{0,300}\/[a-z]{0,4}$/
/** A text in a script without spaces between words. */
const UNSPACED_TEXT = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}/
/** A pattern, and the letters that a text may be made of. */
const REGEX_TEXT =
  /\(\?[:=!<]|\[\^|\\{1,2}[dws][+*{]|[A-Za-z0-9]-[A-Za-z0-9]\]|(?:abcdef|ABCDEF)(?:ghijkl|GHIJKL)/
/** The name stood in a regular expression: it ends, or looks ahead. */
const REGEX_END = /^(?:\/[dgimsuvy]{0,4}(?:[.,;)]|$)|\(\?)/
const IDENTIFIER = /^[A-Za-z_$]+[;,)!?]*$/
/** The seed of a wallet is written as twelve words or more. */
const MANY_WORDS = /mnemonic|seed/i
/** Nothing that a service hands out is that short and without a digit. */
const SHORT_WORD =
  /^(?:.{1,3}|[a-z]{1,8}|[A-Z][a-z]{1,7}|hex|utf-?8|base64(?:url)?|\\u[0-9a-fA-F]{4})$/
/** A digest, the address of a contract or wallet, a duration. */
const PUBLIC_VALUE =
  /^(?:sha(?:256|384|512)[:-][\w+/=]{40,128}|0x[0-9a-fA-F]{40}|P(?:T?[0-9]{1,6}[YMWDHS]){1,6})$/
const VERSION = /^(?:[\^~]|[<>]=? ?)?v?\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?$/
const DATE = /^\d{4}-\d\d-\d\d/

export const isSecretValue = (value: string, place: ValuePlace): boolean => {
  const { kind, name, isQuoted, separator, isSpaced } = place
  if (value.length < 2 || value.startsWith(MASK_START)) return false
  if (PLAIN.test(value) || VARIABLE.test(value) || ADDRESS.test(value)) return false
  if (VERSION.test(value) || REFERENCE.test(value)) return false
  if (kind !== 'password' && ALGORITHM.test(value)) return false
  if (separator === ' ' && !isQuoted && METAVARIABLE.test(value)) return false
  if (kind !== 'password' && PUBLIC_VALUE.test(value)) return false
  if (MANY_WORDS.test(name) && /^0x[0-9a-f]{1,16}$/i.test(value)) return false
  if (MANY_WORDS.test(name)) return looksGenerated(value) || value.split(/\s+/).length >= 12
  if (isSameName(value, name)) return false
  if (SIGNING_KEY.test(name) && KEY_ID.test(value)) return false
  const isCode =
    !isQuoted && (CALL.test(value) || (isSpaced && separator === '=' && HAS_CALL.test(value)))
  if (kind !== 'password' && isOfCode(value, isQuoted)) return false
  if (kind === 'weak') return looksGenerated(value) && !isCode && !SNAKE_MEMBER.test(value)
  if (NUMBER.test(value)) {
    if (kind === 'password' && (isQuoted || separator !== ':')) return value.length >= 3
    return isQuoted ? value.length >= 6 : value.length >= 12 && !/[.:,]/.test(value)
  }
  if (PATH.test(value) && !(value.length >= 36 && looksGenerated(value))) return false
  if (/^[A-Z_]+$/.test(value) && isNameOfSecret(value)) return false
  if (isQuoted)
    return kind === 'password'
      ? !isLabel(value)
      : !isSentence(value) && !SHORT_WORD.test(value) && !isNameOfCode(value)
  if (isSpaced && separator === '=' && /^[(/[]/.test(value)) return false
  if (REGEX_END.test(value)) return false
  if (kind !== 'password' && CONSTANT.test(value)) return false
  if (isCode || MEMBER.test(value) || value.startsWith('{')) return false
  if (kind === 'secret' && separator !== ' ' && SHORT_WORD.test(value)) return false
  const isIdentifier = IDENTIFIER.test(value)
  if (isNameOfSecret(value)) return false
  if (separator === ':') return looksStrong(value)
  return !(isIdentifier && isSpaced && separator === '=') || isMixed(value)
}

/** A pattern in a program, or a name for which the digits in it do not speak. */
const isOfCode = (value: string, isQuoted: boolean): boolean =>
  isQuoted
    ? REGEX_TEXT.test(value) || MODULE.test(value) || UNSPACED_TEXT.test(value)
    : CONSTANT.test(value) ||
      NUMBERED_MEMBER.test(value) ||
      TYPE.test(value) ||
      SNAKE_WORDS.test(value) ||
      MODULE.test(value) ||
      REGEX_LITERAL.test(value) ||
      DOTTED_WORDS.test(value)

/** `api-key` and `DB_PASSWORD` name a secret. */
export const isNameOfSecret = (value: string): boolean =>
  /^(?:[A-Za-z_$-]+|(?:[A-Za-z]\w*\.)?_?[A-Z][A-Za-z]*[0-9]{0,5}(?:[A-Z][a-z]+)+)[;,)!?]*$/.test(
    value,
  ) && kindOfName(value) !== undefined

/** `CHALLENGE_PASSWORD: "challengePassword"`: the name again, as another place writes it. */
const isSameName = (value: string, name: string): boolean => {
  if (value.toLowerCase() === name.toLowerCase()) return true
  if (!/^[A-Za-z]+$/.test(value) || !/[a-z][A-Z]/.test(value)) return false
  return value.toLowerCase() === name.replace(/^.*\./, '').replace(/[_-]/g, '').toLowerCase()
}

/** The name of a variable, a member or a secret. */
const isNameOfCode = (value: string): boolean =>
  isNameOfSecret(value) || CONSTANT.test(value) || MEMBER.test(value) || DOTTED_WORDS.test(value)

/** `app.settings.v2`: what a program keeps its settings under. */
const DOTTED_WORDS = /^[a-z]{2,20}(?:[._:/-][a-z]{1,20}){1,6}[0-9]{0,2}$/

/** Letters and digits in one long word. */
export const looksGenerated = (value: string): boolean =>
  value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/\s/.test(value)

/** Resembles a password and nothing else: letters with digits or signs. */
export const looksStrong = (value: string): boolean => {
  if (DATE.test(value) || value.length < 6 || !/[A-Za-z]/.test(value)) return false
  return /[\d!@#$%^*+=~?]/.test(value.replace(/[?!.,;:]+$/, '')) || isMixed(value)
}

const isMixed = (value: string): boolean =>
  value.length >= 16 &&
  /[a-z]/.test(value.slice(1)) &&
  (value.match(/[A-Z]/g)?.length ?? 0) >= 4 &&
  !JOINED_WORDS.test(value)

/** The name of a type or a function. */
const JOINED_WORDS = /^[a-z]*(?:[A-Z]{2,6}(?=[A-Z][a-z]))?(?:[A-Z][a-z]{2,})+$/

/** Words for people about a password, such as the label of its field. */
const isLabel = (value: string): boolean => /\bpassword\b/i.test(value) && /\s/.test(value)

const isSentence = (value: string): boolean =>
  /\s/.test(value) && value.split(/\s+/).every((word) => !looksGenerated(word) && word.length < 24)
