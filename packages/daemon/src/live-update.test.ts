import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { API, settings } from '@steward/contract'
import { archiveAt, loadArchive } from '@steward/knowledge'
import {
  createRedactor,
  createWatchFolder,
  ensureHome,
  resolveHome,
  type WatchFolder,
} from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBus } from './bus/bus.ts'
import { createKnowledgeModule } from './modules/knowledge/index.ts'
import { createWikiModule } from './modules/wiki/index.ts'
import { createVirtualClock } from './testing/virtual-clock.ts'

let folder: string
let stop: () => Promise<void>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-live-update-'))
})
afterEach(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

const ANY_MOMENT = { timeout: 20_000, interval: 5 }
const DOCUMENT = 'person/handbook/guide.md'
const NOTE = 'home/MEMORY/KNOWLEDGE/Ideas/dive.md'

/** Some editors write into the file, others replace it. */
const WAYS = {
  'into the file': (path: string, text: string) => writeFileSync(path, text),
  'by a new file': (path: string, text: string) => {
    writeFileSync(`${path}.swp`, text)
    renameSync(`${path}.swp`, path)
  },
}

/** Both modules as in the daemon, with real files and a frozen clock. */
const startModules = async (watchFolder: WatchFolder) => {
  const home = resolveHome({ STEWARD_HOME: join(folder, 'home') })
  await ensureHome(home)
  for (const path of [DOCUMENT, NOTE]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), 'A zeppelin.')
  }
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const clock = createVirtualClock(Date.UTC(2026, 2, 1))
  const archive = loadArchive(archiveAt(home).root)
  const common = {
    home,
    bus: createBus(log),
    log,
    now: clock.now,
    setTimer: clock.setTimer,
    watchFolder,
  }
  const wiki = createWikiModule({
    ...common,
    installation: join(folder, 'program'),
    homedir: join(folder, 'person'),
    processEnvironment: {},
    archive,
    settings: () => settings.parse({ wiki: { directories: { handbook: '~/handbook' } } }),
  })
  const knowledge = createKnowledgeModule({
    ...common,
    loaded: archive,
    findNotes: wiki.findNotes,
    redactor: () => createRedactor({}),
  })
  await knowledge.start?.()
  await wiki.start?.()
  await vi.waitFor(() => expect(wiki.health()).toMatchObject({ indexing: false }), ANY_MOMENT)
  stop = async () => {
    await wiki.stop?.()
    await knowledge.stop?.()
  }
  const handler = wiki.handlers.find(({ route }) => route === API.searchWiki)
  const call = { signal: new AbortController().signal, header: () => undefined }
  const search = async (q: string): Promise<string[]> => {
    const query = API.searchWiki.query.parse({ q })
    const answer = await handler?.answer({ params: {}, query, body: undefined }, call)
    return API.searchWiki.answer.parse(answer).results.map(({ id }) => id)
  }
  return { clock, search }
}

const save = (way: keyof typeof WAYS, path: string) => WAYS[way](join(folder, path), 'A submarine.')
const cases = Object.keys(WAYS).flatMap((way) =>
  [DOCUMENT, NOTE].map((path) => [way, path] as [keyof typeof WAYS, string]),
)

describe.each(cases)('a save %s of %s is found by its new words', (way, path) => {
  const id = path === NOTE ? 'knowledge/Ideas/dive' : 'handbook/guide'

  it('100 ms after the file watcher fires', async () => {
    let told = 0
    const watch = createWatchFolder(() => undefined)
    const { clock, search } = await startModules((watched, { onChange, onEnd }) =>
      watch(watched, {
        onChange: (name) => {
          onChange(name)
          if (name === path.split('/').at(-1)) told++
        },
        onEnd,
      }),
    )
    save(way, path)
    await vi.waitFor(() => expect(told).toBeGreaterThan(0), ANY_MOMENT)
    expect(await search('submarine')).toEqual([])
    await clock.advanceInTurns(100)
    await vi.waitFor(async () => expect(await search('submarine')).toEqual([id]), ANY_MOMENT)
    expect(await search('zeppelin')).not.toContain(id)
  })

  it('within a second without a file watcher', async () => {
    const { clock, search } = await startModules(() => undefined)
    await clock.advanceInTurns(500)
    save(way, path)
    await clock.advanceInTurns(1000)
    await vi.waitFor(async () => expect(await search('submarine')).toEqual([id]), ANY_MOMENT)
  })
})
