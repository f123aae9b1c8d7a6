/**
 * Why a URL's host must not be connected to; `undefined` for a name or a public address. The URL
 * parser has already normalised every notation of an address (octal, hexadecimal, shortened).
 */
export const refusalOfHost = (hostname: string): string | undefined => {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return `${host} is this machine itself`
  if (host.endsWith('.internal') || host.endsWith('.local')) return `${host} is a private name`
  if (host.startsWith('[')) return refusalOfV6(host.slice(1, -1))
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? refusalOfV4(host.split('.').map(Number)) : undefined
}

type Block = readonly [network: readonly number[], prefixBits: number, name: string]

/**
 * Address ranges that are not public according to the special-purpose registries (RFC 6890 and
 * later).
 */
const V4_BLOCKS: readonly Block[] = [
  [[0], 8, 'the unspecified network'],
  [[10], 8, 'a private address'],
  [[100, 64], 10, "a carrier's internal address"],
  [[127], 8, 'this machine itself'],
  [[169, 254], 16, 'a link-local address'],
  [[172, 16], 12, 'a private address'],
  [[192, 0, 0], 24, 'a reserved address'],
  [[192, 0, 2], 24, 'an address for documentation'],
  [[192, 31, 196], 24, 'a reserved address'],
  [[192, 52, 193], 24, 'a reserved address'],
  [[192, 88, 99], 24, 'a reserved address'],
  [[192, 168], 16, 'a private address'],
  [[192, 175, 48], 24, 'a reserved address'],
  [[198, 18], 15, 'an address for benchmarks'],
  [[198, 51, 100], 24, 'an address for documentation'],
  [[203, 0, 113], 24, 'an address for documentation'],
  [[224], 4, 'a multicast address'],
  [[240], 4, 'a reserved address'],
]

const refusalOfV4 = (octets: readonly number[]): string | undefined => {
  const block = V4_BLOCKS.find(([network, bits]) => isWithin(octets, network, bits, 8))
  return block && `${octets.join('.')} is ${block[2]}`
}

/** Within 2000::/3, the only public range. */
const V6_BLOCKS: readonly Block[] = [
  [[0x2001, 0], 23, 'a reserved address'],
  [[0x2001, 0xdb8], 32, 'an address for documentation'],
  [[0x2002], 16, 'a tunnel to another address'],
  [[0x3fff], 20, 'an address for documentation'],
]
const MAPPED = [0, 0, 0, 0, 0, 0xffff]
const NAT64 = [0x64, 0xff9b, 0, 0, 0, 0]

const refusalOfV6 = (text: string): string | undefined => {
  const groups = groupsOf(text)
  // These embed the IPv4 address to which the connection goes.
  if (isWithin(groups, MAPPED, 96, 16) || isWithin(groups, NAT64, 96, 16)) {
    return refusalOfV4(groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]))
  }
  if (!isWithin(groups, [0x2000], 3, 16)) return `${text} is not a public address`
  const block = V6_BLOCKS.find(([network, bits]) => isWithin(groups, network, bits, 16))
  return block && `${text} is ${block[2]}`
}

/** The eight groups of an address in the URL parser's form, which never has dots. */
const groupsOf = (text: string): number[] => {
  const [head = '', tail] = text.split('::')
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [front, back] = [numbers(head), numbers(tail ?? '')]
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

const isWithin = (
  parts: readonly number[],
  network: readonly number[],
  prefixBits: number,
  partBits: number,
): boolean =>
  parts.every((part, index) => {
    const bits = Math.min(partBits, prefixBits - index * partBits)
    return bits <= 0 || part >> (partBits - bits) === (network[index] ?? 0) >> (partBits - bits)
  })
