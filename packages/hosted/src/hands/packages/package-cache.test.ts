import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nameProcess } from '../sandbox/running.ts'
import { createPackageCache, type PackageCacheOptions } from './package-cache.ts'

const DAY_MS = 86_400_000
const KIB = 1024
let folder = ''
let nowMs = 0
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-cache-'))
  nowMs = Date.now()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (bounds: Partial<PackageCacheOptions> = {}) =>
  createPackageCache({
    ...{ folder, maxBytes: 1024 * KIB, maxIdleMs: 30 * DAY_MS, now: () => nowMs, ...bounds },
  })
type Cache = ReturnType<typeof open>

const nameOf = (digit: string) => `npm-${digit.repeat(32)}`

/** Installs 300 KiB, one minute later than the previous package. */
const install = async (cache: Cache, digit: string) => {
  nowMs += 60_000
  const held = await cache.hold(nameOf(digit))
  const work = await cache.makeWork()
  mkdirSync(join(work, 'made'))
  writeFileSync(join(work, 'made', 'file'), Buffer.alloc(300 * KIB, 1))
  await cache.keep(nameOf(digit), join(work, 'made'))
  rmSync(work, { recursive: true })
  return held
}
const kept = () =>
  readdirSync(folder)
    .filter((name) => name.startsWith('npm-'))
    .map((name) => name.at(-1))
    .toSorted()
    .join('')

describe('the package cache', () => {
  it('drops the least recently used when it is full', async () => {
    const cache = open()
    for (const digit of ['1', '2', '3']) await (await install(cache, digit)).release()
    await cache.makeRoom()
    expect(kept()).toBe('123')
    nowMs += 60_000
    await (await cache.hold(nameOf('1'))).release()
    await (await install(cache, '4')).release()
    await cache.makeRoom()
    expect(kept()).toBe('134')
    expect(readdirSync(folder).toSorted()).toEqual(['held', nameOf('1'), nameOf('3'), nameOf('4')])
  })

  it('keeps what a sandbox of any process uses, and drops it afterwards', async () => {
    const cache = open({ maxBytes: KIB })
    const held = await install(cache, '1')
    await (await install(cache, '2')).release()
    const elsewhere = join(folder, 'held', `${nameOf('2')}@${nameProcess(1, process.ppid)}`)
    writeFileSync(elsewhere, '')
    await (await install(cache, '3')).release()
    // Left by a dead process.
    writeFileSync(join(folder, 'held', `${nameOf('3')}@4194305-1-1`), '')
    await cache.makeRoom()
    expect(kept()).toBe('12')
    expect(await held.isThere()).toBe(true)
    await held.release()
    rmSync(elsewhere)
    await cache.makeRoom()
    expect(kept()).toBe('')
    expect(readdirSync(join(folder, 'held'))).toEqual([])
  })

  it('drops old unused packages and half-installed leftovers of a crash', async () => {
    const cache = open()
    await (await install(cache, '1')).release()
    const crashed = await cache.makeWork()
    const running = await cache.makeWork()
    utimesSync(crashed, 0, 0)
    await cache.makeRoom()
    expect(readdirSync(folder).toSorted()).toEqual(['held', nameOf('1'), running.split('/').at(-1)])
    nowMs += 31 * DAY_MS
    await cache.makeRoom()
    expect(kept()).toBe('')
  })

  it('is cleaned up by several processes at once without conflicts', async () => {
    const caches = [open({ maxBytes: KIB }), open({ maxBytes: KIB }), open({ maxBytes: KIB })]
    for (let round = 0; round < 4; round++) {
      for (const digit of ['1', '2', '3']) await (await install(open(), digit)).release()
      await Promise.all(caches.map((cache) => cache.makeRoom()))
      expect(kept()).toBe('')
    }
    expect(readdirSync(folder)).toEqual(['held'])
  })

  it('keeps one of two that were installed at the same time', async () => {
    const first = await install(open(), '1')
    const second = await install(open(), '1')
    expect(await first.isThere()).toBe(true)
    expect(readdirSync(second.folder)).toEqual(['file'])
    expect(readdirSync(folder).toSorted()).toEqual(['held', nameOf('1')])
  })
})
