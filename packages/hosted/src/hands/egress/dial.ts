import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { StewardError } from '@steward/contract'
import { isAddress, keepPublic, type Lookup, lookUpAll } from '@steward/local'

/** Opens a TCP connection to a host by name. */
export type Dial = (host: string, port: number, timeoutMs: number) => Promise<Socket>

export interface DialOptions {
  lookup?: Lookup
  /** Addresses of this machine, which are refused also when they are public. */
  ownAddresses?: () => readonly string[]
}

/**
 * Resolves names itself and connects to the very addresses it has judged, so that a name cannot
 * answer differently between check and use. Private, loopback, link-local and metadata addresses are
 * refused, and so is this machine by any of its addresses.
 */
export const createDial =
  ({ lookup = lookUpAll, ownAddresses = listOwnAddresses }: DialOptions = {}): Dial =>
  async (host, port, timeoutMs) => {
    const bare = host.replace(/^\[|\]$/g, '')
    const found = isAddress(bare)
      ? [{ address: bare, family: bare.includes(':') ? 6 : 4 }]
      : await lookup(bare)
    const own = new Set(ownAddresses())
    const usable = keepPublic(host, found).filter(({ address }) => !own.has(address))
    if (usable.length === 0) {
      throw new StewardError('address_refused', { host, reason: 'it is this machine itself' })
    }
    return connectToFirst(
      usable.map(({ address }) => address),
      port,
      timeoutMs,
    )
  }

const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? [])

const connectToFirst = async (
  addresses: readonly string[],
  port: number,
  timeoutMs: number,
): Promise<Socket> => {
  let last: unknown
  for (const address of addresses) {
    try {
      return await connectTo(address, port, timeoutMs)
    } catch (thrown) {
      last = thrown
    }
  }
  throw last
}

const connectTo = (host: string, port: number, timeoutMs: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(
        new StewardError('timeout', { subject: `connecting to ${host}`, limitMs: timeoutMs }),
      ),
    )
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.off('error', reject)
      resolve(socket)
    })
  })
