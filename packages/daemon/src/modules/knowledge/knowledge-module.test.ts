import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, note, type Route, StewardError } from '@steward/contract'
import { createRedactor, ensureHome, type Home, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { createBus, type NoteChange } from '../../bus/bus.ts'
import type { DaemonModule } from '../../module.ts'
import { createKnowledgeModule } from './knowledge-module.ts'

let home: Home
let module: DaemonModule
let changes: NoteChange[]
let bus: ReturnType<typeof createBus>
/** The results of the search index. */
const found = new Map([['NEEDLE', ['Research/gone', 'Ideas/a']]])
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-knowledge-module-')) })
  await ensureHome(home)
  changes = []
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  bus = createBus(log)
  bus.subscribe('knowledge.changed', (message) => changes.push(...message.changes))
  module = createKnowledgeModule({
    home,
    bus,
    log,
    now: () => Date.UTC(2026, 2, 1),
    setTimer: () => () => undefined,
    watchFolder: () => undefined,
    findNotes: async (query) => ({ keys: found.get(query) ?? [], isIndexing: false }),
    redactor: () => createRedactor({}),
  })
})
afterEach(async () => {
  await module.stop?.()
  rmSync(home.root, { recursive: true, force: true })
})

const put = (file: string, text: string) => {
  mkdirSync(join(home.knowledge, file, '..'), { recursive: true })
  writeFileSync(join(home.knowledge, file), text)
}
/** Like the server: parses the input by the route and the answer as sent. */
const ask = async <T extends z.ZodType>(
  route: Route & { answer: T },
  input: { params?: object; query?: object; body?: object } = {},
  headers: Record<string, string> = {},
): Promise<z.output<T>> => {
  const handler = module.handlers.find((each) => each.route === route)
  const answer = await handler?.answer(
    {
      params: route.params?.parse(input.params ?? {}),
      query: route.query?.parse(input.query ?? {}),
      body: route.body?.parse(input.body ?? {}),
    },
    { signal: new AbortController().signal, header: (name) => headers[name] },
  )
  const body: unknown = answer instanceof Response ? await answer.json() : answer
  return route.answer.parse(body)
}

describe('the knowledge module', () => {
  it('is really empty on a fresh home', async () => {
    await module.start?.()
    expect(await ask(API.getKnowledge)).toEqual({
      domains: ['People', 'Companies', 'Ideas', 'Research'].map((name) => ({
        name,
        count: 0,
        avgQuality: 0,
        lowCount: 0,
        midCount: 0,
        highCount: 0,
      })),
      notes: [],
      totalNotes: 0,
      matched: 0,
      indexing: false,
      avgQuality: 0,
      topTags: [],
      topLinked: [],
      maps: [],
      lastHarvest: null,
      problems: [],
    })
    // Without a watcher it reports so and polls every second.
    expect(module.health()).toMatchObject({ status: 'ok', notes: 0, watched: false })
  })

  it('lists, pages and filters; reports the most linked, tags, maps and problems', async () => {
    put(
      'Ideas/a.md',
      '---\ntitle: A\nquality: 9\ntags: [X, y]\nupdated: 2026-01-02\n---\n[[b]] needle\n',
    )
    put('Ideas/b.md', '---\ntitle: B\nquality: 2\ntags: [x]\nupdated: 2026-01-01\n---\n')
    put('People/c.md', '---\ntitle: C\nupdated: 2026-01-03\n---\n[[b]]\n')
    put('Ideas/_index.md', '# All ideas\n')
    put('Ideas/Bad Name.md', 'x')
    await module.start?.()
    const all = await ask(API.getKnowledge)
    expect(all.notes.map(({ slug }) => slug)).toEqual(['c', 'a', 'b'])
    expect(all).toMatchObject({
      avgQuality: 5.3,
      topTags: [
        { tag: 'X', count: 2 },
        { tag: 'y', count: 1 },
      ],
      topLinked: [{ slug: 'b', backlinks: 2 }],
      maps: [{ domain: 'Ideas', slug: '_index', title: 'All ideas' }],
      problems: [{ file: 'Ideas/Bad Name.md' }],
    })
    expect(all.domains[2]).toMatchObject({ name: 'Ideas', count: 2, lowCount: 1, highCount: 1 })
    const slugs = async (query: object) =>
      (await ask(API.getKnowledge, { query })).notes.map(({ slug }) => slug)
    expect(await slugs({ tag: '#x' })).toEqual(['a', 'b'])
    expect(await slugs({ domain: 'people' })).toEqual(['c'])
    expect(await slugs({ q: 'NEEDLE' })).toEqual(['a'])
    expect(await slugs({ limit: '1', offset: '1' })).toEqual(['a'])
    const near = await ask(API.getKnowledgeGraph, { query: { around: 'people/c' } })
    expect(near.nodes.map(({ id }) => id)).toEqual(['People/c', 'Ideas/b'])
  })

  it('saves, renames, removes and restores, and notifies the others', async () => {
    await module.start?.()
    const made = await ask(API.createNote, { body: { domain: 'idea', title: 'One' } })
    put('Ideas/two.md', '[[one]]\n')
    await ask(API.getNote, { params: { domain: 'ideas', slug: 'two' } })
    const params = { domain: 'Ideas', slug: 'one' }
    const headers = { 'if-match': `"${made.etag}"` }
    const body = { content: `${made.content}more\n` }
    const saved = await ask(API.saveNote, { params, body }, headers)
    expect(saved).toMatchObject({ ok: true, backlinks: [{ slug: 'two' }] })
    const refused = await ask(API.saveNote, { params, body: { content: 'x' } }, headers).catch(
      (thrown: unknown) => thrown,
    )
    expect(refused).toBeInstanceOf(StewardError)
    expect(refused).toMatchObject({ status: 412, details: { current: { etag: saved.etag } } })
    const renamed = await ask(API.renameNote, { params, body: { title: 'Three' } })
    expect(renamed).toMatchObject({
      slug: 'three',
      aliases: ['one', 'One'],
      relinked: [{ slug: 'two' }],
    })
    const three = { domain: 'Ideas', slug: 'three' }
    await ask(API.removeNote, { params: three })
    expect((await ask(API.listTrash)).notes).toMatchObject([{ slug: 'three', title: 'Three' }])
    expect(note.parse(await ask(API.restoreNote, { params: three })).content).toBe(renamed.content)
    expect(changes.map(({ slug, kind }) => `${kind} ${slug}`)).toEqual([
      'added one',
      'added two',
      'changed one',
      'removed one',
      'added three',
      'changed two',
      'removed three',
      'added three',
    ])
  })

  it('writes the learnings of sessions that reach LEARN', async () => {
    await module.start?.()
    const stored = 'WORK/s/SPEC.md'
    mkdirSync(join(home.work, 's'), { recursive: true })
    writeFileSync(join(home.memory, stored), '## Learnings\n### Weeks\nThey begin on Monday.\n')
    const state = (phase: string) => ({ state: { sessions: { s: { phase, isa: stored } } } })
    bus.publish('work-state.changed', state('build'))
    bus.publish('work-state.changed', state('learn'))
    bus.publish('work-state.changed', state('complete'))
    await module.stop?.()
    expect(changes).toEqual([{ domain: 'Ideas', slug: 'weeks', kind: 'added' }])
    expect((await ask(API.getKnowledge)).lastHarvest).toBe('2026-03-01T00:00:00.000Z')
  })
})
