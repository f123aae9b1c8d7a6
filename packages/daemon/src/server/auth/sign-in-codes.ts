import { createHash, randomBytes } from 'node:crypto'
import { isPending } from '@steward/contract'

const CODE_LIFE_MS = 60_000
const MOST_CODES = 20

/** Sign-in codes: each valid once, for one minute, in this process. */
export const createSignInCodes = (now: () => number) => {
  const expiryByHash = new Map<string, number>()
  const dropExpired = () => {
    for (const [hash, expiresAt] of expiryByHash) {
      if (!isPending(expiresAt, now(), CODE_LIFE_MS) || expiryByHash.size > MOST_CODES)
        expiryByHash.delete(hash)
    }
  }
  return {
    create: (): { code: string; expiresAt: string } => {
      const code = randomBytes(32).toString('base64url')
      const expiresAt = now() + CODE_LIFE_MS
      expiryByHash.set(hashOf(code), expiresAt)
      dropExpired()
      return { code, expiresAt: new Date(expiresAt).toISOString() }
    },
    /** Whether the code is valid; checking consumes it. */
    use: (code: string): boolean => {
      dropExpired()
      return expiryByHash.delete(hashOf(code))
    },
  }
}

/** Looking up a hash leaks no timing information about the code. */
const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex')
