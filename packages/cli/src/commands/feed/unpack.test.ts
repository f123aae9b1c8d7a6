import { deflateSync, gzipSync } from 'node:zlib'
import { LIMITS } from '@steward/contract'
import { expect, test } from 'vitest'
import { unpackBody } from './unpack.ts'

const feed = new TextEncoder().encode('<rss><channel><title>É</title></channel></rss>')
const wide = new Uint8Array(Buffer.from('\ufeff<rss/>', 'utf16le'))

test.each([
  ['gzip', gzipSync(feed), feed],
  ['zlib', deflateSync(feed), feed],
  ['zlib at its fastest', deflateSync(feed, { level: 1 }), feed],
  ['gzip around UTF-16', gzipSync(wide), wide],
  ['not compressed', feed, feed],
  ['UTF-16', wide, wide],
  ['empty', new Uint8Array(), new Uint8Array()],
  ['text that begins like zlib', new TextEncoder().encode('x^'), null],
])('%s', async (_, bytes, expected) => {
  const result = unpackBody(bytes, 'a.xml')
  if (expected === null) await expect(result).rejects.toMatchObject({ code: 'feed_unreadable' })
  else expect(new Uint8Array(await result)).toEqual(new Uint8Array(expected))
})

test('a bomb is stopped at the limit', async () => {
  const bomb = gzipSync(Buffer.alloc(LIMITS.fetchBodyBytes + 1))
  expect(bomb.length).toBeLessThan(100_000)
  await expect(unpackBody(bomb, 'a.xml')).rejects.toMatchObject({ code: 'payload_too_large' })
  const full = gzipSync(Buffer.alloc(LIMITS.fetchBodyBytes))
  expect(await unpackBody(full, 'a.xml')).toHaveLength(LIMITS.fetchBodyBytes)
})

test('a truncated one is reported', async () => {
  const cut = gzipSync(feed).subarray(0, 20)
  await expect(unpackBody(cut, 'a.xml')).rejects.toThrow(/a\.xml .*compressed, but broken/)
})
