import { createHash } from 'node:crypto'

const CHARS = 32

/** Identifies an account of a vendor without revealing the key. */
export const accountOf = (provider: string, baseUrl: string, apiKey: string | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify([provider, baseUrl, apiKey ?? null]))
    .digest('hex')
    .slice(0, CHARS)
