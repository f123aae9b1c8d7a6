import { readFile } from 'node:fs/promises'
import { StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { storageErrorOf } from '../storage-error.ts'

const SHORTEST_TOKEN_CHARS = 32

/** The token of a data home, read on every call, so that a new one takes effect immediately. Throws if it is absent or too short. */
export const readToken = async (path: string): Promise<string> => {
  let token: string
  try {
    token = (await readFile(path, 'utf8')).trim()
  } catch (thrown) {
    if (!isMissing(thrown)) throw storageErrorOf(path, thrown, 'it cannot be read')
    throw unusable('it is missing', thrown)
  }
  if (token.length >= SHORTEST_TOKEN_CHARS) return token
  throw unusable(
    token === '' ? 'it is empty' : `it has fewer than ${SHORTEST_TOKEN_CHARS} characters`,
  )
}

const unusable = (state: string, cause?: unknown): StewardError => {
  const reason = `${state}; remove it and restart the daemon for a new one`
  return new StewardError('not_configured', { subject: 'the token file', reason }, cause)
}
