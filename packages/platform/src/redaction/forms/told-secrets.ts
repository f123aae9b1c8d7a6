import { readValue } from './assigned-secrets.ts'
import { partsOf } from './held-parts.ts'
import { SECRET_PARTS } from './secret-names.ts'
import { findGuarded, type GuardedPattern, type SecretScan } from './secret-scan.ts'
import { isNameOfSecret, looksGenerated, looksStrong } from './secret-value.ts'

/** What may stand before a secret that a person tells: `the password is …`, `my token: …`. */
const TOLD =
  /(?:password|passwort|kennwort|passphrase|passcode|secret|token|api[ -]?key)s?(?: (?:for|of|to|on) (?:the )?[\w@.-]{1,40})?(?:,? {1,4}(?:is|was|ist|lautet|are|to|as|be|now)(?: (?:now|still|set to|called))?:? {1,4}(?=\S)| {1,2}(?=\\{0,7}["'`]))/gi
/** Lines of files that have only places and no names. */
const PLACED: readonly GuardedPattern[] = [
  // .pgpass: host, port, database and user stand before it.
  {
    parts: partsOf(':5432:|:5433:|:6432:|:6543:|:*:'),
    pattern: () => /(?<=^|\\n)[\w.*-]{1,100}:(?:[0-9]{2,5}|\*):[\w.*-]{1,100}:[\w.*-]{1,100}:/gm,
  },
  // .curlrc
  {
    parts: partsOf('user'),
    pattern: () =>
      /user(?<=(?:^|\\n)[ \t]{0,8}(?:proxy-)?user)[ \t]{0,4}[=:]?[ \t]{0,4}\\{0,7}"[^"\s:]{1,100}:/gm,
  },
  // A script of expect(1).
  {
    parts: partsOf('send'),
    pattern: () =>
      /assword:?[^\n"]{0,20}\\{0,3}"(?:\s|\\n){0,10}send(?:_user)?[ \t]{1,4}(?:-- )?\\{0,3}"/g,
  },
  // Oracle: `user/password@`.
  {
    parts: partsOf('oracle:|sqlplus'),
    pattern: () =>
      /(?:oracle:(?:thin|oci[0-9]?):|\bsqlplus[ \t]{1,4}(?:-[A-Za-z]{1,3}[ \t]{1,4}){0,4}["']?)[\w.$#-]{1,60}\//g,
  },
]
const PLACED_VALUE = /^[^\s"'`@\\]{3,200}/

/** Secrets in sentences, and in files whose lines say by their order what is what. */
export const hideToldSecrets = (scan: SecretScan): void => {
  const { text } = scan
  if (scan.holds(SECRET_PARTS)) hideSentences(scan)
  for (const { index, 0: hit } of findGuarded(scan, PLACED)) {
    scan.look(hit.length)
    const from = index + hit.length
    const value = PLACED_VALUE.exec(text.slice(from, from + 200))?.[0] ?? ''
    const isSecret = !/^[[$<{(]/.test(value) && /[0-9!%*?+#&^~]/.test(value)
    if (isSecret) scan.hide(from, from + value.length)
  }
}

const hideSentences = (scan: SecretScan): void => {
  const { text } = scan
  for (const { index, 0: hit } of text.matchAll(TOLD)) {
    scan.look(hit.length)
    const { start, end } = readValue(scan, index + hit.length, false)
    const value = text.slice(start, end).replace(/[.,;:!?)]+$/, '')
    if (isTold(value) && !IS_NAME.test(text.slice(end, end + 20))) {
      scan.hide(start, start + value.length)
    }
  }
}

/** A message names a stored secret: `secret "db-1" not found`. */
const IS_NAME =
  /^\\{0,7}["'`] (?:not found|already|created|deleted|updated|configured|unchanged|missing|does not|is missing)/
const PLAIN_WORD = /^(?:[$<{[(/~.]|https?:|[A-Z]?[a-z]+(?:[-'’][a-z]+)*$)/
/** The name of an encoding or a method, also as part of a word. */
const METHOD =
  /^(?:base(?:32|58|64)(?:url)?|utf-?(?:8|16)|sha-?[0-9]{1,3}|md5|argon2(?:id?|d)?|oauth2|x\.?509|ed25519|pkcs#?[0-9]{1,2}|aes-?[0-9]{3})(?:[-'’][a-z]+)*$/i

/** Something is sent to it, as in `email the tokens to …`. */
const MAIL_ADDRESS = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[a-z]{2,24}){1,4}$/i

const isTold = (value: string): boolean =>
  !PLAIN_WORD.test(value) &&
  !METHOD.test(value) &&
  !isNameOfSecret(value) &&
  !MAIL_ADDRESS.test(value) &&
  !/\s/.test(value) &&
  (looksGenerated(value) || (looksStrong(value) && !/[=/(]/.test(value)))
