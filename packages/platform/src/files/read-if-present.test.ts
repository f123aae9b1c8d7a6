import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAbsent, isMissing } from '../error-code.ts'
import {
  listIfPresent,
  listIfPresentSync,
  readIfPresent,
  readIfPresentSync,
} from './read-if-present.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-present-'))
  writeFileSync(join(folder, 'a.txt'), 'text')
  mkdirSync(join(folder, 'inner'))
  writeFileSync(join(folder, 'inner', 'b.txt'), '')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work()
  } catch (thrown) {
    return thrown
  }
  return expect.unreachable('nothing was thrown')
}

describe.each([
  ['readIfPresent', readIfPresent],
  ['readIfPresentSync', readIfPresentSync],
])('%s', (_, read) => {
  it('reads a file; a missing one is undefined', async () => {
    expect(await read(join(folder, 'a.txt'))).toBe('text')
    expect(await read(join(folder, 'missing.txt'))).toBeUndefined()
  })

  it('throws when the file cannot be read or its path leads through a file', async () => {
    expect(isAbsent(await thrownBy(() => read(folder)))).toBe(false)
    const through = await thrownBy(() => read(join(folder, 'a.txt', 'b')))
    expect([isMissing(through), isAbsent(through)]).toEqual([false, true])
  })
})

describe.each([
  ['listIfPresent', listIfPresent],
  ['listIfPresentSync', listIfPresentSync],
])('%s', (_, list) => {
  it('lists a folder; a missing one is empty', async () => {
    expect((await list(folder)).toSorted()).toEqual(['a.txt', 'inner'])
    expect(await list(join(folder, 'missing'))).toEqual([])
  })

  it('throws for a file', async () => {
    expect(isAbsent(await thrownBy(() => list(join(folder, 'a.txt'))))).toBe(true)
  })
})

it('lists what is deeper if asked to', async () => {
  const names = await listIfPresent(folder, { recursive: true })
  expect(names.toSorted()).toEqual(['a.txt', 'inner', join('inner', 'b.txt')])
})
