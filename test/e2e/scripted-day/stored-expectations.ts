import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/**
 * Compares with `expected-<name>.json` beside this file. After a change that is meant,
 * `STEWARD_EXPECTATIONS=write` writes the files anew; what changed is then in the diff to be read.
 */
export const expectAsStored = (name: string, answers: unknown): void => {
  const file = join(import.meta.dirname, `expected-${name}.json`)
  if (process.env.STEWARD_EXPECTATIONS === 'write') {
    writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`)
    return
  }
  // What JSON leaves out is no difference.
  const comparable: unknown = JSON.parse(JSON.stringify(answers))
  expect(comparable).toEqual(JSON.parse(readFileSync(file, 'utf8')))
}
