import ipaddr from 'ipaddr.js'

/**
 * Why an address must not be connected to; undefined if it is public. Addresses that embed an IPv4
 * address (mapped, NAT64) are judged by that.
 */
export const refusalOf = (address: string): string | undefined => {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (!ipaddr.isValid(bare)) return `${address} is not an address`
  const range = rangeOf(ipaddr.parse(bare))
  return range === 'unicast'
    ? undefined
    : `${bare} is ${NAMES[range] ?? `a reserved address (${range})`}`
}

/** Whether a URL's host is an address, not a name. */
export const isAddress = (hostname: string): boolean =>
  ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))

/** An IPv4 address that is written as IPv6, as what it is; others in their canonical form. */
export const unwrapAddress = (address: string): string => {
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  if (!parsed.match(NAT64)) return ipaddr.process(address).toString()
  return new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString()
}

const NAMES: Record<string, string> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  loopback: 'this machine itself',
  linkLocal: 'a link-local address',
  carrierGradeNat: "a carrier's internal address",
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  unspecified: 'the unspecified address',
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** RFC 6052's well-known prefix. The one for local use (RFC 8215) stays refused. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

const rangeOf = (address: ipaddr.IPv4 | ipaddr.IPv6): string => {
  if (address instanceof ipaddr.IPv4) return address.range()
  if (address.isIPv4MappedAddress() || address.match(NAT64)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12)).range()
  }
  const range = address.range()
  return range === 'unicast' && !address.match(GLOBAL_UNICAST) ? 'reserved' : range
}
