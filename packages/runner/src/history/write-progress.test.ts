import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRedactor } from '@steward/platform'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Advance } from './history.ts'
import { openHistory, type StoredHistory } from './open-history.ts'
import { sampleAdvance, sampleFailure, sampleRun, T0 } from './testing/samples.ts'

let directory = ''
let history: StoredHistory

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-progress-'))
  history = openHistory({ directory, redactor: createRedactor({}) })
})

afterEach(async () => {
  await history.close()
  rmSync(directory, { recursive: true, force: true })
})

const begin = async () => {
  const run = sampleRun()
  await history.begin(run)
  return run.id
}

test('progress within one tick is one commit', async () => {
  const file = new DatabaseSync(join(directory, 'history.sqlite'))
  const version = () => file.prepare('PRAGMA data_version').get()?.data_version
  const id = await begin()
  const before = Number(version())
  await Promise.all([
    history.advance(sampleAdvance(id, 0, { a: 1 }, 'next')),
    history.advance(sampleAdvance(id, 1, { a: 2 }, 'next')),
    history.advance(sampleAdvance(id, 2, { a: 3 }, 'end')),
  ])
  expect(version()).toBe(before + 1)
  file.close()
})

test('a record is the same, whichever of its steps shared a commit', async () => {
  const lengths = fc.integer({ min: 1, max: 5 })
  const endings = fc.constantFrom('end', 'fail', 'open')
  const pauses = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 })
  const retries = fc.boolean()
  await fc.assert(
    fc.asyncProperty(lengths, endings, pauses, retries, async (length, ending, pause, retry) => {
      const changesOf = (id: string): Advance[] => {
        const first = Array.from({ length }, (_, index) => {
          const isLast = index === length - 1
          if (isLast && ending === 'fail') return sampleFailure(id, index)
          return sampleAdvance(id, index, { a: index }, isLast && ending === 'end' ? 'end' : 'next')
        })
        if (!retry || ending !== 'open') return first
        const index = length - 1
        const again = { index, action: 'A_AGAIN', startedAt: T0 + 90, input: { again: true } }
        return [...first, { runId: id, next: again }, sampleAdvance(id, index, { a: 9 }, 'end')]
      }
      const perform = async (mayShare: boolean) => {
        const run = sampleRun()
        const { id } = run
        const written: Promise<unknown>[] = [history.begin(run)]
        if (!mayShare || pause.at(-1)) await written[0]
        for (const [position, change] of changesOf(id).entries()) {
          written.push(history.advance(change))
          if (!mayShare || pause[position]) await Promise.all(written)
        }
        await Promise.all(written)
        return { ...history.get(id), id: '' }
      }
      expect(await perform(true)).toEqual(await perform(false))
    }),
    { numRuns: 40 },
  )
})

test('only the value that cannot be stored is rejected; earlier ones stand', async () => {
  const id = await begin()
  const [first, second] = await Promise.allSettled([
    history.advance(sampleAdvance(id, 0, { a: 1 }, 'next')),
    history.advance(sampleAdvance(id, 1, { a: 1n }, 'end')),
  ])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'invalid_input' } })
  expect(history.get(id)).toMatchObject({
    status: 'running',
    steps: [{ status: 'completed' }, { status: 'running' }],
  })
})

test('changes in a shared commit succeed or fail together, separately from other runs', async () => {
  const [broken, sound] = [await begin(), await begin()]
  const written = await Promise.allSettled([
    history.advance(sampleAdvance(broken, 0, { a: 1 }, 'next')),
    history.advance(sampleAdvance(sound, 0, { a: 1 }, 'end')),
    history.advance(sampleAdvance(broken, 7, { a: 2 }, 'end')),
  ])
  expect(written.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  expect(history.get(broken)).toMatchObject({ status: 'running', steps: [{ status: 'running' }] })
  expect(history.get(sound)?.status).toBe('completed')
  await history.advance(sampleAdvance(broken, 0, { a: 1 }, 'end'))
  expect(history.get(broken)?.status).toBe('completed')
})
