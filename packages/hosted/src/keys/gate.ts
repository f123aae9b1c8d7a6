import { timingSafeEqual } from 'node:crypto'
import { isPending, StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { hashSecret, type StoredKey } from './key.ts'
import { findKey, recordKeyUse } from './keys.ts'

/** How long a valid key is cached, and so the delay until a revocation takes effect. */
const TRUST_MS = 2000
const USE_NOTED_EVERY_MS = 60_000
const MOST_TRUSTED = 10_000

export interface Gate {
  /** The key of a call; throws 401. */
  admit(headers: GateHeaders): Promise<StoredKey>
}

interface GateHeaders {
  authorization: string | undefined
  apiKey: string | undefined
}

/** Authenticates callers by bearer token or `x-api-key`, depending on the client's version. */
export const createGate = (database: HostedDatabase, now: () => number): Gate => {
  const trusted = new Map<string, { key: StoredKey; untilMs: number }>()

  const look = async (hash: string): Promise<StoredKey | undefined> => {
    const nowMs = now()
    const known = trusted.get(hash)
    if (known !== undefined && isPending(known.untilMs, nowMs, TRUST_MS)) return known.key
    trusted.delete(hash)
    const key = await database.read(() => findKey(hash))
    if (key === undefined || !sameHash(key.hash, hash) || !isGood(key, nowMs)) return undefined
    if (trusted.size >= MOST_TRUSTED) trusted.clear()
    trusted.set(hash, { key, untilMs: nowMs + TRUST_MS })
    if (nowMs - (key.usedMs ?? 0) >= USE_NOTED_EVERY_MS)
      await database.write(() => recordKeyUse(key.id, nowMs))
    return key
  }

  return {
    admit: async (headers) => {
      const secret = secretOf(headers)
      if (secret === undefined)
        throw refuse('send a key, as `Authorization: Bearer sk-steward-…` or `x-api-key`')
      const key = await look(hashSecret(secret))
      if (key === undefined || !isGood(key, now()))
        throw refuse('the key is unknown, revoked or expired')
      return key
    },
  }
}

const secretOf = ({ authorization, apiKey }: GateHeaders): string | undefined => {
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
  return bearer ?? (apiKey || undefined)
}

const BEARER = /^Bearer +(\S+)$/i

const isGood = (key: StoredKey, nowMs: number): boolean =>
  key.revokedMs === null && (key.expiresMs === null || nowMs < key.expiresMs)

const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const refuse = (message: string): StewardError => StewardError.restore('unauthorized', message)
