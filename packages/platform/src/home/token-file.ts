import { statSync } from 'node:fs'
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
  let known: { stamp: string; token: string } | undefined
  return async () => {
    const { stamp, changedMs } = stampOf(path)
    if (known !== undefined && known.stamp === stamp) return known.token
    const token = await readToken(path)
    known = now() - changedMs > SETTLED_MS ? { stamp, token } : undefined
    return token
  }
}

const stampOf = (path: string): { stamp: string; changedMs: number } => {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return { stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, changedMs: ctimeMs }
  } catch {
    // Reading it will fail, too, and explain why.
    return { stamp: '', changedMs: Number.POSITIVE_INFINITY }
  }
}

const unusable = (state: string, cause?: unknown): StewardError => {
  const reason = `${state}; remove it and restart the daemon for a new one`
  return new StewardError('not_configured', { subject: 'the token file', reason }, cause)
}
