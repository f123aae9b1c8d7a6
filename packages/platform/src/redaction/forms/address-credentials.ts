import { charSet, MASK_START, type SecretScan } from './secret-scan.ts'
import { looksGenerated } from './secret-value.ts'

/** An address ends here, whatever the password in it is. */
const OUTSIDE = charSet(/[\s"'`<>\\,;]/)
const LONGEST_USER = 2048
const PLACEHOLDER = /^(?:\$|<|\{|\*+$|%\w+%$|x+$|pass(?:word)?$|pw$|\.+$)/i

/** `user:password@`, `:password@` and `token@` in addresses of any scheme. */
export const hideAddressCredentials = (scan: SecretScan): void => {
  const { text } = scan
  for (let at = text.indexOf('://'), next = at; at !== -1; at = next) {
    const from = at + 3
    next = text.indexOf('://', from)
    // The next address is looked at on its own.
    const room = next === -1 ? LONGEST_USER : Math.min(LONGEST_USER, next - from)
    const userInfo = userInfoOf(text.slice(from, scan.find(from, OUTSIDE, room)))
    if (userInfo === undefined) continue
    const colon = userInfo.indexOf(':')
    const password = userInfo.slice(colon + 1)
    if (colon === -1 && !isToken(userInfo)) continue
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

/** A user's name is short and a word; what stands there instead of one is longer or has digits. */
const isToken = (user: string): boolean =>
  !user.startsWith(MASK_START) &&
  !/^[${<]/.test(user) &&
  (looksGenerated(user) ||
    (user.length >= 10 && /\d/.test(user) && /[a-z]/i.test(user) && !/[.@]/.test(user)))
