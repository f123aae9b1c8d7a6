import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { StewardError } from '@steward/contract'

const DECODERS: Record<string, () => Duplex> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/**
 * Decompresses a response so that secrets in it are found. The request asked for no compression; an
 * unknown encoding is refused rather than passed on unread.
 */
export const unpackersOf = (answer: IncomingMessage): Duplex[] =>
  (answer.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .toReversed()
    .map((name) => {
      const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
      if (create !== undefined) return create()
      throw new StewardError('upstream_failed', {
        service: 'the host',
        reason: `it answered with the encoding ${name}, which cannot be searched for secrets`,
      })
    })
