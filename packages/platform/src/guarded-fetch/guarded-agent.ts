import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { StewardError } from '@steward/contract'
import type { AllowsPrivate } from '@steward/engine'
import type { Agent } from 'undici'
import { refusalOf } from './address.ts'

export interface ResolvedAddress {
  address: string
  family: number
}

/** Resolves all addresses of a name. A port, because the answer may change between calls. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>

export const lookUpAll: Lookup = (hostname) => systemLookup(hostname, { all: true, verbatim: true })

/**
 * Connections whose address is checked in the lookup that the connection itself uses, so that a
 * name cannot resolve differently between check and use. IP addresses in a URL skip the lookup; the
 * caller must check them.
 */
export const createGuardedAgent = async (
  allowsPrivate: AllowsPrivate,
  lookup: Lookup,
  connectTimeoutMs: number,
): Promise<Agent> => {
  // Loaded lazily, because it is large and most commands fetch nothing.
  const { Agent, buildConnector } = (await import('undici')).default
  const connectorFor = (
    accept: (hostname: string, found: ResolvedAddress[]) => ResolvedAddress[],
  ) =>
    buildConnector({
      timeout: connectTimeoutMs,
      allowH2: false,
      lookup: asNodeLookup(async (hostname) => accept(hostname, await lookup(hostname))),
    })
  const guarded = connectorFor(keepPublic)
  const open = connectorFor((_, found) => found)
  return new Agent({
    connect: (options, callback) => {
      const port = options.port || (options.protocol === 'https:' ? '443' : '80')
      const connect = allowsPrivate(options.hostname, port) ? open : guarded
      connect(options, callback)
    },
  })
}

/** The addresses of a name that may be connected to; throws if none is left. */
export const keepPublic = (hostname: string, found: ResolvedAddress[]): ResolvedAddress[] => {
  const usable = found.filter(({ address }) => refusalOf(address) === undefined)
  if (usable.length > 0) return usable
  const reason = found.map(({ address }) => refusalOf(address)).join(', ') || 'it has no address'
  throw new StewardError('address_refused', { host: hostname, reason })
}

const asNodeLookup =
  (resolve: Lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        if (options.all) return callback(null, found)
        const [first] = found
        if (first === undefined) return callback(new Error(`${hostname} has no address`), '')
        callback(null, first.address, first.family)
      },
      (thrown: unknown) =>
        callback(thrown instanceof Error ? thrown : new Error(String(thrown)), ''),
    )
  }
