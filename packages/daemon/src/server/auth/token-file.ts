import { readFile } from 'node:fs/promises'
import { reasonOf, StewardError } from '@steward/contract'

const SHORTEST_TOKEN_CHARS = 32

/** The token of a data home, read anew each time: a new one is in force at once. An absent or short one lets nobody in. */
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
