import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { codeOf, isAbsent } from '@steward/platform'
import type { WikiSource } from './wiki-source.ts'

/** Non-blocking, so that a pipe that replaced the file does not hang us. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * The text of a document's file; undefined if it was removed. A file that now leads out of its
 * directory is refused.
 */
export const readSourceFile = (
  source: Pick<WikiSource, 'root' | 'key'>,
  relative: string,
): string | undefined => {
  const path = join(source.root, relative)
  const refuse = (reason: string): StewardError =>
    new StewardError('rejected_content', { subject: `${source.key}/${relative}`, reason })
  try {
    if (realpathSync(path) !== join(realpathSync(source.root), relative)) {
      throw refuse('it is a link out of the directory; those are not followed')
    }
    const bytes = readBytes(path)
    if (bytes === undefined)
      throw refuse(`it is not a file of at most ${LIMITS.wikiDocumentBytes} bytes`)
    if (bytes.includes(0)) throw refuse('it is not text')
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    if (thrown instanceof StewardError) throw thrown
    if (thrown instanceof TypeError) throw refuse('it is not UTF-8 text')
    if (isAbsent(thrown)) return undefined
    throw refuse(`it cannot be read: ${codeOf(thrown) ?? String(thrown)}`)
  }
}

const readBytes = (path: string): Uint8Array | undefined => {
  const handle = openSync(path, FLAGS)
  try {
    const { size } = fstatSync(handle)
    if (size > LIMITS.wikiDocumentBytes || !fstatSync(handle).isFile()) return undefined
    const bytes = Buffer.alloc(size)
    let at = 0
    for (let read = -1; read !== 0 && at < size; at += read) {
      read = readSync(handle, bytes, at, size - at, null)
    }
    return bytes.subarray(0, at)
  } finally {
    closeSync(handle)
  }
}
