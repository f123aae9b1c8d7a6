import { partsOf } from './held-parts.ts'

/**
 * What a name says about its value. `password`: anything may be one, even a short word or a number.
 * `secret`: a generated value. `weak`: a secret only where the value looks generated too.
 */
export type NameKind = 'password' | 'secret' | 'weak'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const PASSWORD_WORDS = words(
  'password passwd passphrase passcode passwort kennwort pass pwd psk requirepass masterauth storepass keypass keymaterial',
)
const SECRET_WORDS = words(
  'secret token apikey creds credential credentials authorization authtoken mnemonic',
)
const WEAK_WORDS = words(
  'auth sig signature cookie jwt bearer sas webhook hmac pat oauth seed salt',
)
/** A key is a secret when one of these says so; `key` alone may be anything. */
const KEY_WORDS = words(
  'api access private secret encryption encrypt decryption account signing sign master auth service ssh aes client storage app application consumer deploy admin root shared license vault cipher ssl tls rsa jwt webhook hmac wallet host function master security subscription registration instrumentation rest write read bot wif functions insert sdk fernet origin ca preshared psk personal management integration ingest',
)
/** What follows a secret's name when it names something about the secret instead. */
const ABOUT_WORDS = words(
  'count counts limit limits length len size max min type types name names file files path paths dir directory folder url uri endpoint host expiry expires expired expiration ttl at age policy policies rule rules hint field fields label placeholder required optional enabled disabled regex pattern version format index usage budget cost price rate bucket prefix suffix header headers env var variable arn ref refs generator manager provider algorithm alg status error errors valid kind reset changed used total window remaining stdin fd protected protection encryption identity placement range symbol fds page pages module modules strength field test spec ts tsx js jsx mjs py md json yaml yml toml txt go rs rb java sh html css lock log santa agent sauce scope scopes issuer audience role roles mode method middleware handler service store storage cache class classes input output view screen form button dialog prompt id ids uuid guid uid ratio per counter counting color colour background border width height font helper helpers keys too short weak wrong failed missing mismatch empty invalid incorrect forgotten message msg title command process source sources algo kid encoder strategy terminator endpoints callback cb args address addresses rotation',
)
/** What stands before `token` where it is a piece of text or a place in a list. */
const PLAIN_TOKENS = words(
  'page next continuation pagination sync stop eos bos pad unk mask sep cls start end special resume',
)
const PUBLIC_WORDS = words(
  'public publishable publish no ask with without prompt require show skip list rotate revoke reset export import delete',
)
/** Names that are written in one word. */
const JOINED =
  /(?:password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|secretkey|accountkey|accesssignature|encryptionkey|signingkey|authkey|masterkey|credentials?)$/
const JOINED_PASS =
  /(?:db|sql|smtp|user|root|admin|mail|ftp|ssh|pg|redis|imap|ldap|vpn|wifi|my)(?:pass|pwd)$/
const LONGEST_NAME = 80

const NO_SECRET = 'none'
const known = new Map<string, NameKind | typeof NO_SECRET>()
const KEPT_NAMES = 2000

/** Whether the value of something of that name is a secret; nothing when it is not. */
export const kindOfName = (name: string): NameKind | undefined => {
  if (name.length < SHORTEST_NAME) return undefined
  const before = known.get(name)
  if (before !== undefined) return before === NO_SECRET ? undefined : before
  const kind = judgeName(name.slice(-LONGEST_NAME))
  if (known.size >= KEPT_NAMES) known.clear()
  // A copy: the name may be a slice that would keep its whole text in memory.
  known.set(` ${name}`.slice(1), kind ?? NO_SECRET)
  return kind
}

/** Every secret's name holds one of these; names and texts without any need no closer look. */
export const SECRET_PARTS = partsOf(
  'pass|pwd|kennwort|secret|token|key|cred|auth|sig|cookie|jwt|bearer|sas|mnemonic|webhook|hmac|psk|pat|seed|salt',
)
const SHORTEST_NAME = 3

/** Plain strings are looked for, because to compile a pattern costs a short-lived program more. */
const mayNameSecret = (lower: string): boolean =>
  SECRET_PARTS.texts.some((part) => lower.includes(part))

const judgeName = (name: string): NameKind | undefined => {
  if (!mayNameSecret(name.toLowerCase()) || /^(?:OLD)?PWD$/.test(name)) return undefined
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== '')
  if (/^key ?material$/.test(parts.join(' '))) return 'password'
  const last = parts.findLastIndex((part, index) => kindOfPart(part, index, parts) !== undefined)
  if (last === -1) return undefined
  if (parts.slice(last + 1).some((part) => ABOUT_WORDS.has(part))) return undefined
  if (parts.some((part) => PUBLIC_WORDS.has(part))) return undefined
  const before = parts[last - 1] ?? ''
  if (parts[last] === 'token' && PLAIN_TOKENS.has(before)) return undefined
  if (PLAIN_TOKENS.has(parts[last]?.replace(/^next(?=.)|token$/g, '') ?? '')) return undefined
  const kinds = parts.map((part, index) => kindOfPart(part, index, parts))
  if (kinds.includes('password')) return 'password'
  return kinds.includes('secret') ? 'secret' : 'weak'
}

const kindOfPart = (
  part: string,
  index: number,
  parts: readonly string[],
): NameKind | undefined => {
  if (PASSWORD_WORDS.has(part) || JOINED_PASS.test(part)) return 'password'
  if (SECRET_WORDS.has(part)) return 'secret'
  if (part === 'key' && KEY_WORDS.has(parts[index - 1] ?? '')) return 'secret'
  if (part === 'string' && parts[index - 1] === 'connection') return 'weak'
  const joined = JOINED.exec(part)?.[0]
  if (joined !== undefined) return joined.startsWith('pass') ? 'password' : 'secret'
  return WEAK_WORDS.has(part) ? 'weak' : undefined
}
