import type { Io } from '../io.ts'
import { collectText } from './collect-text.ts'
import { readTextFile } from './read-text-file.ts'

/** `@file`, `-` for standard input, or the text itself. */
export const readBodyOption = async (
  io: Io,
  body: string | undefined,
): Promise<{ body?: string }> => {
  if (body === undefined) return {}
  if (body === '-' || body === '@-') return { body: await collectText(io.stdin, 'standard input') }
  if (body.startsWith('@')) return { body: await readTextFile(body.slice(1), io.cwd) }
  return { body }
}
