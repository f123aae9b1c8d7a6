import { DatabaseSync } from 'node:sqlite'
import { StewardError } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveRunId } from './resolve-id.ts'
import { newRunId } from './run-id.ts'
import { HISTORY_MIGRATIONS } from './schema.ts'

interface Run {
  id: string
  parentId: string | null
}

/** A history in memory with only these runs. */
const storing = (runs: readonly Run[]) => {
  const database = new DatabaseSync(':memory:')
  for (const migration of HISTORY_MIGRATIONS) database.exec(migration)
  const insert = database.prepare(
    `INSERT INTO runs (id, primitive, name, status, owner, version, definition, parent_id, started_at)
     VALUES (?, 'action', 'A_RUN_IT', 'completed', 'me', '1.0.0', 'hash', ?, 0)`,
  )
  for (const { id, parentId } of runs) insert.run(id, parentId)
  const connection = { statement: (sql: string) => database.prepare(sql) }
  return {
    resolve: (reference: string) => resolveRunId(connection, reference),
    [Symbol.dispose]: () => database.close(),
  }
}

/** Short ids of few letters, so that prefixes and suffixes often coincide. */
const runsSharingParts = fc
  .uniqueArray(fc.string({ unit: fc.constantFrom('0', 'a', '-'), minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 12,
  })
  .chain((ids) =>
    fc.tuple(...ids.map((id) => fc.record({ id: fc.constant(id), parentId: parentOf(ids) }))),
  )
const parentOf = (ids: readonly string[]) => fc.constantFrom(null, ids[0] ?? null)

const outcomeOf = (resolve: () => string | undefined): unknown => {
  try {
    return resolve()
  } catch (thrown) {
    if (thrown instanceof StewardError && thrown.code === 'ambiguous') return 'ambiguous'
    throw thrown
  }
}

test('a reference finds the one run with that id, prefix or suffix, and never guesses', () => {
  fc.assert(
    fc.property(
      runsSharingParts,
      fc.string({ unit: fc.constantFrom('0', 'a', '-'), maxLength: 6 }),
      (runs, reference) => {
        using history = storing(runs)
        const ids = runs.map(({ id }) => id)
        const fitting = ids.filter((id) => id.startsWith(reference) || id.endsWith(reference))
        const expected =
          reference === ''
            ? undefined
            : ids.includes(reference)
              ? reference
              : fitting.length > 1
                ? 'ambiguous'
                : fitting[0]
        expect(outcomeOf(() => history.resolve(reference))).toBe(expected)
      },
    ),
  )
})

test('last is the newest run without a parent', () => {
  fc.assert(
    fc.property(runsSharingParts, (runs) => {
      using history = storing(runs)
      const top = runs.filter(({ parentId }) => parentId === null).map(({ id }) => id)
      expect(history.resolve('last')).toBe(top.toSorted().at(-1))
    }),
  )
})

test('the eight characters that lists print find the run among thousands of the same hour', () => {
  const ids = Array.from({ length: 3000 }, (_, index) => newRunId(1_800_000_000_000 + index * 1000))
  using history = storing(ids.map((id) => ({ id, parentId: null })))
  for (const id of ids.slice(0, 20)) {
    expect(history.resolve(id.slice(-8))).toBe(id)
    expect(history.resolve(`…${id.slice(-8).toUpperCase()}`)).toBe(id)
  }
})

test('an ambiguous reference lists candidates, newest first, and says when there are more', () => {
  const ids = ['0-1', '0-2', '0-3', '0-4', '0-5', '0-6']
  using history = storing(ids.map((id) => ({ id, parentId: null })))
  expect(() => history.resolve('0-')).toThrow(
    'run 0- could be 0-6 (A_RUN_IT), 0-5 (A_RUN_IT), 0-4 (A_RUN_IT), 0-3 (A_RUN_IT), 0-2 (A_RUN_IT) or others',
  )
})
