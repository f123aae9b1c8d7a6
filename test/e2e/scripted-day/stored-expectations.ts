import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/**
 * Compares with `expected-<name>.json` beside this file. After an intended change,
 * `STEWARD_EXPECTATIONS=write` rewrites the files, so that the diff shows what changed.
 */
export const expectAsStored = (name: string, answers: unknown): void => {
  const file = join(import.meta.dirname, `expected-${name}.json`)
  if (process.env.STEWARD_EXPECTATIONS === 'write') {
    writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`)
    return
  }
  // Values that JSON omits do not count as differences.
  const comparable: unknown = JSON.parse(JSON.stringify(answers))
  expect(comparable).toEqual(JSON.parse(readFileSync(file, 'utf8')))
}
