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

/** Asks for all addresses of a name. A port: the answer may change from one call to the next. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>

export const lookUpAll: Lookup = (hostname) => systemLookup(hostname, { all: true, verbatim: true })

/**
 * Connections whose resolved address is checked in the very lookup that the connection is made
 * from, so that a name cannot answer differently between check and use. Addresses written into a
 * URL skip the lookup and are the caller's to check.
 */
export const createGuardedAgent = async (
  allowsPrivate: AllowsPrivate,
  lookup: Lookup,
  connectTimeoutMs: number,
): Promise<Agent> => {
  // Loaded when something is fetched: it is large, and most commands fetch nothing.
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

/** Of the addresses of a name, those that may be connected to; none left is an error. */
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
