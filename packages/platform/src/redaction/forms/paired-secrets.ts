import { hideValue } from './assigned-secrets.ts'
import { hideHeader, isHeaderName } from './header-secrets.ts'
import { partsOf } from './held-parts.ts'
import { kindOfName, SECRET_PARTS } from './secret-names.ts'
import { findGuarded, type GuardedPattern, type SecretScan } from './secret-scan.ts'
import { isNameOfSecret, looksStrong } from './secret-value.ts'

/** A name in one string and its secret in the next: `setenv("NAME", "…")`, `name: NAME, value: …`. */
export const hidePairedSecrets = (scan: SecretScan): void => {
  hideSecondArguments(scan)
  hideNamedValues(scan)
  hideComparedValues(scan)
}

const FIRST_ARGUMENT: GuardedPattern = {
  parts: partsOf(`("|('|(\\|( '|( "|(\``),
  pattern: () =>
    /\(\s{0,4}\\{0,7}["'`]([\w.:@-]{1,80})\\{0,7}["'`]\s{0,4},\s{0,4}(?=\\{0,7}["'`])/g,
}
/** Functions that take a name and its value. */
const SETS = /(?:define|set|put|add|append|header|env|property|secret|insert|with)\w{0,20}$/i
/** Functions that take a user and a password. */
const LOGS_IN = /(?:auth|login|credentials?|signin|sign_in)\w{0,10} ?=? ?$/i

const hideSecondArguments = (scan: SecretScan): void => {
  for (const { index, 0: hit, 1: name = '' } of findGuarded(scan, [FIRST_ARGUMENT])) {
    const before = scan.text.slice(Math.max(0, index - 40), index)
    scan.look(hit.length + before.length)
    const from = index + hit.length
    if (isHeaderName(name) && hideHeader(scan, name, from) > from) continue
    const kind = SETS.test(before) ? kindOfName(name) : undefined
    if (kind !== undefined) hideValue(scan, from, { kind, name, separator: '=', isSpaced: false })
    else if (LOGS_IN.test(before)) hideQuotedPassword(scan, from)
  }
}

const QUOTED = /^\\{0,7}["'`]([^"'`\\\s]{4,200})/

const hideQuotedPassword = (scan: SecretScan, from: number): void => {
  const [whole = '', value = ''] = QUOTED.exec(scan.text.slice(from, from + 210)) ?? []
  if (!looksStrong(value) || isNameOfSecret(value)) return
  scan.hide(from + whole.length - value.length, from + whole.length)
}

const NAMED_VALUE: GuardedPattern = {
  parts: partsOf('value'),
  pattern: () =>
    /\b(?:name|key)\\{0,7}["'`]?\s{0,4}[:=]\s{0,4}\\{0,7}["'`]?([\w.-]{2,80})\\{0,7}["'`]?(?:\s|,|\\n){1,40}\\{0,7}["'`]?value\\{0,7}["'`]?\s{0,4}[:=]\s{0,4}/gi,
}

const hideNamedValues = (scan: SecretScan): void => {
  if (!scan.holds(SECRET_PARTS)) return
  for (const { index, 0: hit, 1: name = '' } of findGuarded(scan, [NAMED_VALUE])) {
    scan.look(hit.length)
    const from = index + hit.length
    if (isHeaderName(name) && hideHeader(scan, name, from) > from) continue
    const kind = kindOfName(name)
    if (kind !== undefined) hideValue(scan, from, { kind, name, separator: '=', isSpaced: false })
  }
}

/** `expect(config.apiKey).toBe("…")`. */
const COMPARED: GuardedPattern = {
  parts: partsOf(').'),
  pattern: () =>
    /\)\.(?:not\.)?(?:toBe|toEqual|toStrictEqual|toMatch|toContain|equal|equals|isEqualTo)\((?=\\{0,7}["'`])/g,
}

const hideComparedValues = (scan: SecretScan): void => {
  if (!scan.holds(SECRET_PARTS)) return
  for (const { index, 0: hit } of findGuarded(scan, [COMPARED])) {
    const name = /[\w-]{1,80}$/.exec(scan.text.slice(Math.max(0, index - 80), index))?.[0] ?? ''
    scan.look(hit.length + name.length)
    const kind = kindOfName(name)
    if (kind === undefined) continue
    hideValue(scan, index + hit.length, { kind, name, separator: '=', isSpaced: false })
  }
}
