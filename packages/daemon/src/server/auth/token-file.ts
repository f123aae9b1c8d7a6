import { readFile } from 'node:fs/promises'
import { reasonOf, StewardError } from '@steward/contract'

const SHORTEST_TOKEN_CHARS = 32

/**
 * The token of a data home, reread each time so that a new one takes effect at once. A missing or
 * short token grants no access.
 */
export const readToken = async (path: string): Promise<string> => {
  let token: string
  try {
    token = (await readFile(path, 'utf8')).trim()
  } catch (thrown) {
    const reason = `it cannot be read: ${reasonOf(thrown)}`
    throw new StewardError('not_configured', { subject: 'the token file', reason }, thrown)
  }
  if (token.length >= SHORTEST_TOKEN_CHARS) return token
  const reason = `it needs at least ${SHORTEST_TOKEN_CHARS} characters; remove it and start again for a new one`
  throw new StewardError('not_configured', { subject: 'the token file', reason })
}
