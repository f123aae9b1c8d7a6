import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogFollower, createRedactor, readTail, rotateLog } from '@steward/platform'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { replaySource } from './replay-source.ts'

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('row' as const) },
  fc.constantFrom('rotate' as const, 'foreign' as const, 'read' as const, 'restart' as const),
)

it('returns exactly the rows between two positions, whatever rotates before and after', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.array(step, { maxLength: 12 }),
      fc.nat(),
      async (before, after, choice) => {
        const folder = mkdtempSync(join(tmpdir(), 'steward-replay-'))
        const path = join(folder, 'log.jsonl')
        let written = 0
        let follower = createLogFollower({ path, from: 'start' })
        /** A client's position after each number of rows. */
        const places = [{ rows: 0, position: 'start' }]
        const readAll = async () => {
          const { rows, position } = await follower.read()
          for (const row of rows) places.push({ rows: places.length, position: row.position })
          return position
        }
        const take = async (what: (typeof before)[number]) => {
          if (what === 'row') appendFileSync(path, `{"number":${written++}}\n`)
          if (what === 'foreign') appendFileSync(path, 'no row\n')
          if (what === 'rotate' && places.length > 1) rotateLog(path, { maxBytes: 0, files: 100 })
          if (what === 'read') await readAll()
          if (what === 'restart') {
            await readAll()
            await follower.close()
            const { position } = await readTail(path, { rows: 5 })
            follower = createLogFollower({ path, from: position })
          }
        }
        try {
          for (const what of before) await take(what)
          const to = await readAll()
          const seen = written
          expect(places).toHaveLength(seen + 1)
          for (const what of after) if (what !== 'read' && what !== 'restart') await take(what)
          const place = places[choice % places.length]
          if (place === undefined) throw new Error('there is always one')
          const missed = await replaySource({
            source: 'voice',
            path,
            from: place.position,
            to,
            redactor: createRedactor({}),
            mostRows: 1000,
          })
          expect(missed?.map(({ event }) => event.number)).toEqual(
            Array.from({ length: seen - place.rows }, (_, index) => place.rows + index),
          )
        } finally {
          await follower.close()
          rmSync(folder, { recursive: true })
        }
      },
    ),
    { numRuns: 150 },
  ))
