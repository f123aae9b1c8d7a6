import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LIMITS, reasonOf, StewardError } from '@steward/contract'
import { isMissing } from '@steward/platform'
import { collectText, tooLarge } from './collect-text.ts'

/** A file named on the command line, as text, within the size limit of a run's input. */
export const readTextFile = async (path: string, cwd: string): Promise<string> => {
  const file = resolve(cwd, path)
  const found = await stat(file).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  if (found.isDirectory()) {
    throw new StewardError('invalid_input', { subject: path, reason: 'is a folder, not a file' })
  }
  if (found.size > LIMITS.inputBytes) throw tooLarge(path, found.size, LIMITS.inputBytes)
  try {
    return await collectText(createReadStream(file), path)
  } catch (cause) {
    throw cause instanceof StewardError ? cause : unreadable(path, cause)
  }
}

const unreadable = (path: string, cause: unknown): StewardError => {
  const reason = isMissing(cause) ? 'there is no such file' : reasonOf(cause)
  return new StewardError('invalid_input', { subject: path, reason }, cause)
}
