import { charSet, MASK_START, type SecretScan } from './secret-scan.ts'
import { looksGenerated } from './secret-value.ts'

/** An address ends here, whatever the password in it is. */
const OUTSIDE = charSet(/[\s"'`<>\\,;]/)
/** The name of a person in a directory has commas. */
const OUTSIDE_LDAP = charSet(/[\s"'`<>\\;]/)
/** JSON may escape the slashes. */
const START = /:(?:\\{0,7}\/){2}/g
const LONGEST_USER = 2048
const PLACEHOLDER = /^(?:\$|<|\{|\*+$|%\w+%$|x+$|pass(?:word|wd)?$|pw$|\.+$)/i

/** `user:password@`, `:password@` and `token@` in addresses of any scheme. */
export const hideAddressCredentials = (scan: SecretScan): void => {
  const { text } = scan
  if (!text.includes(':/') && !text.includes(':\\')) return
  const starts = [...text.matchAll(START)]
  for (const [turn, { index, 0: hit }] of starts.entries()) {
    const from = index + hit.length
    const next = starts[turn + 1]?.index ?? -1
    // The next address is looked at on its own.
    const room = next === -1 ? LONGEST_USER : Math.min(LONGEST_USER, next - from)
    const outside = /ldaps?$/i.test(text.slice(Math.max(0, index - 5), index))
      ? OUTSIDE_LDAP
      : OUTSIDE
    const end = scan.find(from, outside, room)
    const address = text.slice(from, end)
    const userInfo =
      userInfoOf(address) ?? (end === text.length ? cutUserInfoOf(address) : undefined)
    if (userInfo === undefined) continue
    const colon = userInfo.indexOf(':')
    const password = userInfo.slice(colon + 1)
    if (colon === -1 && (!isToken(userInfo) || isPublic(text, from + userInfo.length))) continue
    if (password === '') {
      if (isToken(userInfo.slice(0, colon))) scan.hide(from, from + colon)
      continue
    }
    if (password.startsWith(MASK_START) || PLACEHOLDER.test(password)) continue
    scan.hide(from + colon + 1, from + userInfo.length)
  }
}

/** What stands before the `@` of the host. A password may hold slashes; a port and a path are none. */
const userInfoOf = (address: string): string | undefined => {
  const path = address.search(/[/?#]/)
  const authority = path === -1 ? address : address.slice(0, path)
  const at = authority.lastIndexOf('@')
  if (at !== -1) return authority.slice(0, at)
  const password = /^[^/:@[\]]{0,200}:([^@]{1,400})@/.exec(address)?.[1]
  if (path === -1 || password === undefined || /^\d{0,5}[/?#]/.test(password)) return undefined
  return address.slice(0, address.indexOf('@'))
}

/** Where a text was cut before the `@`: behind a host there would be a number. */
const cutUserInfoOf = (address: string): string | undefined =>
  /^[^/:@[\]?#]{1,200}:(?=[^/]*[a-z])(?=[^/]*[0-9])[^/:@[\]{}$<?#]{6,}$/i.test(address)
    ? address
    : undefined

/** The key in an address of Sentry is in every page that reports to it. */
const isPublic = (text: string, at: number): boolean =>
  /^@[\w.-]{0,60}\bsentry\b/.test(text.slice(at, at + 70))

/** A user's name is short and a word; what stands there instead of one is longer or has digits. */
const isToken = (user: string): boolean =>
  !user.startsWith(MASK_START) &&
  !/^[${<]/.test(user) &&
  (looksGenerated(user) ||
    (user.length >= 10 && /\d/.test(user) && /[a-z]/i.test(user) && !/[.@]/.test(user)))
