import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { StewardError } from '@steward/contract'
import { isAddress, keepPublic, type Lookup, lookUpAll, unwrapAddress } from '@steward/platform'
import type { Target } from './target.ts'

/** The addresses of a host that may be connected to; rejects if there are none. */
export type Resolve = (host: string, port?: number) => Promise<string[]>

/** Opens a TCP connection to a host by name. */
export type Dial = (host: string, port: number, timeoutMs: number) => Promise<Socket>

export interface DialOptions {
  lookup?: Lookup
  /** Addresses of this machine, which are refused even when they are public. */
  ownAddresses?: () => readonly string[]
  /** Reached at any address, because the operator named them. */
  trusted?: readonly Target[]
}

/**
 * Private, loopback, link-local and metadata addresses are refused, and so are all addresses of this
 * machine.
 */
export const createResolve =
  ({
    lookup = lookUpAll,
    ownAddresses = listOwnAddresses,
    trusted = [],
  }: DialOptions = {}): Resolve =>
  async (host, port) => {
    const bare = host.replace(/^\[|\]$/g, '')
    const found = isAddress(bare)
      ? [{ address: bare, family: bare.includes(':') ? 6 : 4 }]
      : await lookup(bare)
    const isTrusted = trusted.some(
      (target) => target.host === host && (port === undefined || target.port === port),
    )
    const usable = isTrusted ? found : keepForeign(host, keepPublic(host, found), ownAddresses())
    return usable.map(({ address }) => address)
  }

/**
 * Resolves names itself and connects to the addresses it checked, so that DNS cannot answer
 * differently between check and use.
 */
export const createDial = (options: DialOptions = {}): Dial => {
  const resolve = createResolve(options)
  return async (host, port, timeoutMs) => connectToFirst(await resolve(host, port), port, timeoutMs)
}

const keepForeign = <T extends { address: string }>(
  host: string,
  found: readonly T[],
  own: readonly string[],
): T[] => {
  const usable = found.filter(({ address }) => !own.includes(unwrapAddress(address)))
  if (usable.length > 0) return usable
  throw new StewardError('address_refused', { host, reason: 'it is this machine itself' })
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
