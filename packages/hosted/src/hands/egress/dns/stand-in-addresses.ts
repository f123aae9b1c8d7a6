/**
 * Addresses that stand for names inside a sandbox. A connection to one of them is a connection to
 * its name, which the proxy resolves and checks itself.
 */
export interface StandInAddresses {
  /** The address of a name; always the same one while it is in use. */
  give(name: string): string
  /** The name that an address stands for, if any. */
  find(address: string): string | undefined
}

/** Where programs inside ask for names. Any other address would do: all queries arrive at the same place. */
export const NAME_SERVER = '198.18.0.1'

/** 198.18.0.0/15 is reserved for tests of networks, so that no real host has an address in it. */
const FIRST = 0xc612_0100
const COUNT = 0x2_0000 - 0x200
const MAX_NAMES = 4096

export const createStandInAddresses = (maxNames = MAX_NAMES): StandInAddresses => {
  const addresses = new Map<string, string>()
  const names = new Map<string, string>()
  let given = 0
  return {
    give: (name) => {
      const known = addresses.get(name)
      addresses.delete(name)
      const address = known ?? toAddress(FIRST + (given++ % COUNT))
      // The map's order is that of use, so that the name unused for longest is forgotten.
      addresses.set(name, address)
      names.set(address, name)
      const [oldest] = addresses
      if (addresses.size > maxNames && oldest !== undefined) {
        addresses.delete(oldest[0])
        names.delete(oldest[1])
      }
      return address
    },
    find: (address) => names.get(address),
  }
}

const toAddress = (number: number): string =>
  [24, 16, 8, 0].map((bits) => (number >>> bits) & 0xff).join('.')
