import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeMp3 } from '../testing/sounds.ts'
import { createAudioCache } from './audio-cache.ts'

const open = (maxBytes: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-cache-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  let nowMs = 1_000_000
  return { folder, cache: createAudioCache({ folder, now: () => (nowMs += 1000), maxBytes }) }
}
const SOUND = makeMp3(10)

test('the least recently used sound is evicted', async () => {
  const { folder, cache } = open(SOUND.length * 2)
  await cache.keep(['a'], SOUND, 'mp3')
  await cache.keep(['b'], SOUND, 'mp3')
  expect(await cache.find(['a'])).toMatchObject({ format: 'mp3' })
  await cache.keep(['c'], SOUND, 'mp3')
  expect(readdirSync(folder)).toHaveLength(2)
  expect(await cache.find(['b'])).toBeUndefined()
  expect(await cache.find(['a'])).toBeDefined()
})

test('a damaged file counts as missing', async () => {
  const { cache } = open(1e9)
  const path = await cache.keep(['a'], SOUND, 'mp3')
  truncateSync(path, 1000)
  expect(await cache.find(['a'])).toBeUndefined()
  expect(existsSync(path)).toBe(false)
})
