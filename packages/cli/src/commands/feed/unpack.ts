import { promisify } from 'node:util'
import { gunzip, inflate, type ZlibOptions } from 'node:zlib'
import { LIMITS, reasonOf, StewardError } from '@steward/contract'
import { tooLarge } from '../../input/collect-text.ts'

/**
 * Decompresses a body that is still compressed with gzip or zlib; returns others unchanged. Servers
 * send `feed.xml.gz` without a header, and a few kilobytes can expand beyond memory.
 */
export const unpackBody = async (bytes: Uint8Array, subject: string): Promise<Uint8Array> => {
  const unpack = unpackerFor(bytes)
  if (unpack === null) return bytes
  const limit = LIMITS.fetchBodyBytes
  try {
    return await unpack(bytes, { maxOutputLength: limit })
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(subject, `more than ${limit}`, limit)
    const reason = `it is compressed, but broken: ${reasonOf(cause)}`
    throw new StewardError('feed_unreadable', { subject, reason }, cause)
  }
}

type Unpack = (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>

const unpackGzip: Unpack = promisify(gunzip)
const unpackZlib: Unpack = promisify(inflate)

/** By the first two bytes; zlib's second byte depends on its compression level. */
const unpackerFor = ([first = 0, second = 0]: Uint8Array): Unpack | null => {
  if (first === 0x1f && second === 0x8b) return unpackGzip
  const isZlib = first === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(second)
  return isZlib ? unpackZlib : null
}
