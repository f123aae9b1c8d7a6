import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { API, type LiveTopic, type Route, StewardError, settings } from '@steward/contract'
import { type LoadedArchive, loadArchive } from '@steward/knowledge'
import { ensureHome, type Home, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createBus } from '../../bus/bus.ts'
import { createWikiModule, type WikiModule } from './wiki-module.ts'

let folder: string
let home: Home
let archive: LoadedArchive
let module: WikiModule
let bus: ReturnType<typeof createBus>
let told: LiveTopic[]
let errors: string[]
const create = (): WikiModule => {
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message: string) => errors.push(message),
  }
  bus = createBus(log)
  bus.subscribe('live.changed', ({ topics }) => told.push(...topics))
  return createWikiModule({
    home,
    installation: join(folder, 'program'),
    homedir: join(folder, 'person'),
    processEnvironment: {},
    archive,
    bus,
    log,
    now: () => Date.UTC(2026, 2, 1),
    setTimer: (_, run) => {
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    },
    watchFolder: () => undefined,
    settings: () => settings.parse({}),
  })
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-wiki-module-'))
  home = resolveHome({ STEWARD_HOME: join(folder, 'home') })
  await ensureHome(home)
  archive = loadArchive(home.knowledge)
  told = []
  errors = []
  module = create()
})
afterEach(async () => {
  await module.stop?.()
  rmSync(folder, { recursive: true, force: true })
})

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
/** Like the server: parses the input by the route and the answer as sent. */
const ask = async <A extends z.ZodType>(
  route: Route & { answer: A },
  input: { params?: object; query?: object; body?: object } = {},
): Promise<z.output<A>> => {
  const handler = module.handlers.find((each) => each.route === route)
  const answer = await handler?.answer(
    {
      params: route.params?.parse(input.params ?? {}),
      query: route.query?.parse(input.query ?? {}),
      body: route.body?.parse(input.body ?? {}),
    },
    { signal: new AbortController().signal, header: () => undefined },
  )
  return z.parse(route.answer, answer)
}
const start = async () => {
  await archive.refresh()
  await module.start?.()
  await vi.waitFor(() => expect(module.health()).toMatchObject({ indexing: false }), 20_000)
}

describe('the wiki module', () => {
  it('lists, searches, shows and renders; reports what is missing', async () => {
    put('program/docs/feeds.md', '# Feeds\n\nHow feeds are polled. [[Ada]] <script>x</script>\n')
    put('home/MEMORY/KNOWLEDGE/People/ada.md', '---\ntitle: Ada\n---\nShe polled [[feeds]].\n')
    await start()
    const wiki = await ask(API.getWiki, { query: { group: 'docs' } })
    expect(wiki).toMatchObject({
      documents: [
        { id: 'docs/feeds', title: 'Feeds', address: '/wiki/docs/feeds', category: 'system-doc' },
      ],
      stats: { totalPeople: 1, totalIdeas: 0 },
      findings: [],
      lastIndexedAt: '2026-03-01T00:00:00.000Z',
    })
    expect(wiki.groups.map(({ name, label }) => `${name} ${label}`)).toEqual([
      'docs Steward',
      'hooks Hooks',
    ])
    const found = await ask(API.searchWiki, { query: { q: 'poled' } })
    expect(found.results.map(({ id }) => id).toSorted()).toEqual([
      'docs/feeds',
      'knowledge/People/ada',
    ])
    expect(found.corrections).toEqual([{ word: 'poled', used: ['polled'] }])
    const only = await ask(API.searchWiki, { query: { q: 'polled', kind: 'note' } })
    expect(only.results.map(({ id }) => id)).toEqual(['knowledge/People/ada'])
    expect(await ask(API.searchWiki)).toMatchObject({ results: [], matched: 'none' })
    const shown = await ask(API.getWikiDocument, { params: { id: 'docs:feeds' } })
    expect(shown.html).toContain('<a href="/knowledge/People/ada">Ada</a> &lt;script&gt;')
    expect(shown.backlinks.map(({ id }) => id)).toContain('knowledge/People/ada')
    expect((await ask(API.previewMarkdown, { body: { content: '<b>' } })).html).toBe(
      '<p>&lt;b&gt;</p>\n',
    )
    // The shapes that dashboards of predecessors read.
    expect(wiki.tree).toMatchObject([
      { label: 'Steward', count: 1, children: [{ label: 'Feeds', slug: 'docs:feeds' }] },
      { label: 'Hooks' },
      { label: 'People', children: [{ label: 'Ada', slug: 'knowledge:People:ada' }] },
    ])
    expect(wiki.recentChanges.find(({ id }) => id === 'knowledge/People/ada')).toMatchObject({
      slug: 'knowledge:People:ada',
      wordCount: 3,
      lastModified: expect.any(String),
    })
    expect(found.results.map(({ slug }) => slug)).toContain('docs:feeds')
    const page = await ask(API.getWikiPage, { params: { slug: 'knowledge:People:ada' } })
    expect(page).toMatchObject({ title: 'Ada', content: 'She polled [[feeds]].\n', wordCount: 3 })
    expect(await ask(API.getWikiBacklinks, { params: { slug: 'docs:feeds' } })).toEqual({
      backlinks: [{ slug: 'knowledge:People:ada', title: 'Ada', category: 'person' }],
    })
    const near = await ask(API.getWikiGraph, { query: { around: 'knowledge/People/ada' } })
    expect(near.edges).toHaveLength(2)
    await expect(ask(API.getWikiDocument, { params: { id: 'docs:..:..:token' } })).rejects.toThrow(
      StewardError,
    )
    expect(await module.findNotes('polled', 10)).toEqual({
      keys: ['People/ada'],
      isIndexing: false,
    })
  })

  it('indexes changed notes immediately and notifies pages; a damaged index is rebuilt', async () => {
    put('program/docs/feeds.md', '# Feeds\n')
    await start()
    told = []
    put('home/MEMORY/KNOWLEDGE/Ideas/new.md', 'a needle')
    const place = { domain: 'Ideas', slug: 'new' } as const
    archive.look(place)
    bus.publish('knowledge.changed', { changes: [{ ...place, kind: 'added' }] })
    expect((await module.findNotes('needle', 10)).keys).toEqual(['Ideas/new'])
    await vi.waitFor(() => expect(told).toEqual(['wiki']))
    rmSync(join(home.knowledge, 'Ideas/new.md'))
    archive.look(place)
    bus.publish('knowledge.changed', { changes: [{ ...place, kind: 'removed' }] })
    expect((await module.findNotes('needle', 10)).keys).toEqual([])
    await module.stop?.()
    writeFileSync(join(home.databases, 'search.sqlite'), 'x'.repeat(5000))
    module = create()
    await start()
    expect(errors.join()).toContain('is damaged and is rebuilt')
    expect((await ask(API.searchWiki, { query: { q: 'feeds' } })).results[0]?.id).toBe('docs/feeds')
  })
})

describe('PUT /api/wiki/skills/:name', () => {
  const save = (name: string, content: string) =>
    ask(API.saveWikiSkill, { params: { name }, body: { content } })

  it('replaces the text of a skill of the user and keeps the text before', async () => {
    put('person/.claude/skills/brew/SKILL.md', '---\neffort: low\n---\n\n# Brew\n\nBoil water.\n')
    await module.start?.()
    await expect
      .poll(() => ask(API.listWikiSkills))
      .toMatchObject({
        skills: [{ name: 'brew', dir: 'brew', effort: 'low' }],
        total: 1,
      })
    expect(await ask(API.getWikiSkill, { params: { name: 'brew' } })).toMatchObject({
      content: '---\neffort: low\n---\n\n# Brew\n\nBoil water.\n',
    })
    expect(await save('brew', '# Brew\n\nWarm the pot first.\n')).toMatchObject({
      ok: true,
      updated: expect.stringMatching(/^\d{4}-.*Z$/),
      name: 'brew',
      effort: 'standard',
      content: '# Brew\n\nWarm the pot first.\n',
    })
    const file = join(folder, 'person/.claude/skills/brew/SKILL.md')
    expect(readFileSync(file, 'utf8')).toContain('Warm the pot')
    expect(readFileSync(`${file}.previous`, 'utf8')).toContain('Boil water')
  })

  it('refuses a skill that ships with Steward, and one that does not exist', async () => {
    put('program/plugin/skills/steward/SKILL.md', '# Steward\n')
    await module.start?.()
    await expect.poll(() => ask(API.listWikiSkills)).toMatchObject({ total: 1 })
    await expect(save('steward', '# Mine\n')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(save('gone', '# Mine\n')).rejects.toMatchObject({ code: 'not_found' })
  })
})
