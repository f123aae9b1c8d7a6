import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { CLONE_LAUNCHER, PACKED_LAUNCHER } from './launcher.ts'
import { playPage, readPage } from './play/play.ts'
import { readBlocks } from './play/read-page.ts'
import { SEEN } from './play/seen.ts'
import { addSteward } from './play/stages.ts'

const docs = join(import.meta.dirname, '../../docs')
/** The list of pages has no commands, and the name of the README. */
const guides = readdirSync(docs).filter((name) => name.endsWith('.md') && name !== 'README.md')
const pages = ['README.md', ...guides]
const played = pages.filter((name) =>
  readBlocks(readPage(name)).some(({ notRun }) => notRun === undefined),
)
/** Building workers needs packages that the packed program fetches; `npm run play` does that too. */
const CLONE_PAGES = ['tutorial-edge.md']

test('every page with a command is played, and each says what its reader sees', () => {
  expect(played.filter((name) => SEEN[name] === undefined)).toEqual([])
  expect(Object.keys(SEEN).filter((name) => !played.includes(name))).toEqual([])
})

test('a block that is not played says why', () => {
  const reasons = pages.flatMap((name) =>
    readBlocks(readPage(name)).flatMap(({ notRun = '', line }) =>
      notRun === '' ||
      /^(?:needs|reads|calls|answers|opens|runs|takes|a measurement)\b/.test(notRun)
        ? []
        : [`${name}:${line}: ${notRun}`],
    ),
  )
  expect(reasons).toEqual([])
})

const play = async (name: string, launcher: string): Promise<void> => {
  const program = { install: (home: string) => addSteward(home, launcher), caches: CACHE_HOME }
  const { code, missing, text } = await playPage(name, program)
  const isGood = code === 0 && missing.length === 0
  expect([code, missing, isGood ? '' : text]).toEqual([0, [], ''])
}

// They wait most of the time: for daemons, and for steps that are slow on purpose.
describe.concurrent('the commands of a page work as written, in a fresh home', () => {
  test.each(played.filter((name) => !CLONE_PAGES.includes(name)))(
    '%s, with the packed program',
    (name) => play(name, PACKED_LAUNCHER),
  )
  test.each(CLONE_PAGES)('%s, with a clone', (name) => play(name, CLONE_LAUNCHER))
})
