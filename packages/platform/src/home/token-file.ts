import { type Stats, statSync } from 'node:fs'
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

/** A file that changed this recently may change again without another time. */
const SETTLED_MS = 2000

/** Like `readToken`, but opens the file only if it changed. */
export const createTokenReader = (path: string, now: () => number): (() => Promise<string>) => {
  let known: { stamp: Stats; token: string } | undefined
  return async () => {
    const stamp = stampOf(path)
    if (known !== undefined && stamp !== undefined && isSame(known.stamp, stamp)) return known.token
    const token = await readToken(path)
    const isSettled = stamp !== undefined && now() - stamp.ctimeMs > SETTLED_MS
    known = isSettled ? { stamp, token } : undefined
    return token
  }
}

const stampOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    // Reading it will fail, too, and explain why.
    return undefined
  }
}

const isSame = (a: Stats, b: Stats): boolean =>
  a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino

const unusable = (state: string, cause?: unknown): StewardError => {
  const reason = `${state}; remove it and restart the daemon for a new one`
  return new StewardError('not_configured', { subject: 'the token file', reason }, cause)
}
