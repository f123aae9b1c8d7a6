import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { LIMITS, settings } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadArchive } from '../notes/index/load-archive.ts'
import { openSearchIndex, type SearchIndex } from '../search/open-search-index.ts'
import { cutWikiGraph } from './build-wiki-graph.ts'
import { followDocuments } from './follow-documents.ts'
import { listSources } from './list-sources.ts'
import { type LoadedDocuments, loadDocuments } from './load-documents.ts'
import { createWiki, type Wiki } from './open-wiki.ts'
import type { GeneratedDocument } from './wiki-source.ts'

let folder: string
let index: SearchIndex
let documents: LoadedDocuments
let wiki: Wiki
let directories: Record<string, string>
let generated: GeneratedDocument[]
const warnings: string[] = []
const at = (path: string) => join(folder, path)
const put = (path: string, text: string | Uint8Array) => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
const sources = () =>
  listSources({
    installation: at('program'),
    home: resolveHome({ STEWARD_HOME: at('home') }),
    homedir: at('person'),
    env: {},
    settings: settings.parse({ wiki: { directories } }),
  })
const open = async () => {
  index = openSearchIndex({
    file: at('home/state/search.sqlite'),
    now: () => 0,
    warn: (message) => warnings.push(message),
  })
  documents = loadDocuments({ sources, generated: () => generated, index })
  const loaded = loadArchive(at('home/MEMORY/KNOWLEDGE'))
  await loaded.refresh()
  const archive = { root: at('home/MEMORY/KNOWLEDGE'), loaded }
  wiki = createWiki({ documents, index, archive, warn: (message) => warnings.push(message) })
  await documents.refresh()
  await wiki.indexNotes()
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-wiki-'))
  directories = { handbook: '~/handbook' }
  generated = []
  warnings.length = 0
})
afterEach(() => {
  index.close()
  rmSync(folder, { recursive: true, force: true })
})
const ids = () => [...documents.catalog.all()].map(({ id }) => id).toSorted()
const found = async (query: string) => (await wiki.search(query)).results.map(({ id }) => id)

describe('documents', () => {
  it('come from the program, the person, assistants and the library, and never show a path', async () => {
    put('program/README.md', '# Steward\n\nAbout [feeds](docs/feeds.md).')
    put('program/docs/feeds.md', '# Feeds\n\nSee [the home](../README.md) and [[A_READ_FEED]].')
    put(
      'program/plugin/skills/Research/SKILL.md',
      '---\nname: Research\ndescription: Looks.\n---\nX',
    )
    put('program/plugin/skills/Research/Workflows/Deep.md', '# Deep')
    put('person/.claude/agents/Critic.md', '---\nname: Critic\n---\nBe fair.')
    put(
      'program/library/actions/A_READ_FEED/action.json',
      '{"name":"A_READ_FEED","description":"Reads.","input":{"url":{"type":"string","required":true}},"output":{}}',
    )
    put(
      'program/library/pipelines/P_ALL.yaml',
      'name: P_ALL\ndescription: All.\nactions:\n  - A_READ_FEED\n',
    )
    put(
      'program/library/pipelines/P_EACH.yaml',
      'name: P_EACH\ndescription: Each.\nactions:\n  - each: pages\n    do:\n      - action: A_READ_FEED\n',
    )
    put('program/library/pipelines/P_BAD.yaml', 'a: &a [*a]\nname: [')
    put(
      'program/library/flows/flow-index.json',
      '{"flows":[{"name":"F_ONE","pipeline":"P_ALL"},{"name":"F_TWO"}]}',
    )
    put(
      'person/handbook/deep/er/Über uns.md',
      '---\ntitle: "Who we are"\ntags: [people, "#team"]\n---\n\nHello.',
    )
    put('person/handbook/.git/x.md', 'x')
    put('person/handbook/node_modules/x.md', 'x')
    put('person/handbook/picture.png', 'x')
    generated = [
      {
        key: 'hooks',
        group: 'hooks',
        path: 'claude',
        title: 'Hooks',
        markdown: 'On [[docs/feeds]].',
        tags: [],
        related: [],
      },
    ]
    await open()
    expect(ids()).toEqual([
      'actions/A_READ_FEED',
      'agents/claude/Critic',
      'docs/feeds',
      'docs/steward/README',
      'flows/F_ONE',
      'flows/F_TWO',
      'handbook/deep/er/Über uns',
      'hooks/claude',
      'pipelines/P_ALL',
      'pipelines/P_EACH',
      'skills/steward/Research',
      'skills/steward/Research/Workflows/Deep',
    ])
    expect(documents.findings()).toMatchObject([{ file: 'pipelines/P_BAD.yaml' }])
    const page = await wiki.show('docs/feeds')
    expect(page.html).toContain('<a href="/wiki/docs/steward/README">the home</a>')
    expect(page.html).toContain('<a href="/wiki/actions/A_READ_FEED">')
    expect(page.backlinks.map(({ id }) => id).toSorted()).toEqual([
      'docs/steward/README',
      'hooks/claude',
    ])
    expect((await wiki.show('flows/F_ONE')).links.map(({ id }) => id)).toEqual(['pipelines/P_ALL'])
    expect((await wiki.show('pipelines/P_EACH')).links).toMatchObject([
      { id: 'actions/A_READ_FEED' },
    ])
    expect(wiki.describe('handbook/deep/er/Über uns')).toMatchObject({
      title: 'Who we are',
      tags: ['people', 'team'],
      address: '/wiki/handbook/deep/er/%C3%9Cber%20uns',
    })
    const everything = await Promise.all(ids().flatMap((id) => [wiki.show(id), wiki.describe(id)]))
    expect(
      JSON.stringify([everything, wiki.graph(), await wiki.search('feeds'), documents.findings()]),
    ).not.toContain(folder)
  })

  it('skip links to the outside, binary files and large files, and report them', async () => {
    put('secret.md', 'the secret')
    put('outside/inner.md', 'the secret')
    put('person/handbook/a.md', 'fine')
    symlinkSync(at('secret.md'), at('person/handbook/link.md'))
    symlinkSync(at('outside'), at('person/handbook/folder'))
    symlinkSync(at('person/handbook/a.md'), at('person/handbook/same.md'))
    symlinkSync('loop.md', at('person/handbook/loop.md'))
    put('person/handbook/binary.md', new Uint8Array([1, 0, 2]))
    put('person/handbook/latin.md', new Uint8Array([0x66, 0xfc, 0x72]))
    put('person/handbook/large.md', 'x'.repeat(LIMITS.wikiDocumentBytes + 1))
    put('person/handbook/a.markdown', 'the same id')
    await open()
    expect(ids()).toEqual(['handbook/a'])
    expect(
      documents
        .findings()
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual([
      'handbook/a.md',
      'handbook/binary.md',
      'handbook/folder',
      'handbook/large.md',
      'handbook/latin.md',
      'handbook/link.md',
    ])
    expect(await found('secret')).toEqual([])
    // A folder that becomes a link after it was found is not followed either.
    put('person/handbook/sub/b.md', 'was here')
    await documents.refresh()
    const later =
      documents.catalog.get('handbook/sub/inner') ?? documents.catalog.get('handbook/sub/b')
    renameSync(at('person/handbook/sub'), at('moved'))
    put('moved/b.md', 'the secret')
    symlinkSync(at('moved'), at('person/handbook/sub'))
    expect(later).toBeDefined()
    await expect(wiki.show('handbook/sub/b')).rejects.toThrow(/link out of the directory/)
    for (const id of [
      'handbook/../../secret',
      '../secret',
      'handbook/link',
      'knowledge/../token',
    ]) {
      await expect(wiki.show(id)).rejects.toThrow(/not found/)
    }
  })

  it('are read once, even across processes; changed ones are read again', async () => {
    put('person/handbook/a.md', '# A\n\napple')
    put('person/handbook/b.md', '# B\n\n[[a]]')
    await open()
    index.close()
    const writes: string[] = []
    await open()
    documents = loadDocuments({
      sources,
      generated: () => generated,
      index: {
        ...index,
        put: async (entries) => {
          writes.push(...entries.map(({ id }) => id))
          await index.put(entries)
        },
      },
    })
    expect(await documents.refresh()).toBe(false)
    expect(writes).toEqual([])
    expect(ids()).toEqual(['handbook/a', 'handbook/b'])
    put('person/handbook/a.md', '# A\n\na pear now')
    unlinkSync(at('person/handbook/b.md'))
    expect(await documents.refresh()).toBe(true)
    expect(writes).toEqual(['handbook/a'])
    expect((await index.search('apple')).results).toEqual([])
    expect((await index.search('pear')).total).toBe(1)
    directories = {}
    expect(await documents.refresh()).toBe(true)
    expect(ids()).toEqual([])
    expect((await index.search('pear')).total).toBe(0)
  })

  it('and notes are one graph and one search', async () => {
    put(
      'home/MEMORY/KNOWLEDGE/Ideas/one.md',
      '---\ntitle: One\n---\n[[guide]] and [[two]], a needle.',
    )
    put('home/MEMORY/KNOWLEDGE/Ideas/two.md', '[One](one.md)')
    put('person/handbook/guide.md', '# Guide\n\nSee [[One]] with a needle.')
    await open()
    const edges = wiki.graph().edges.map(({ source, target }) => `${source} ${target}`)
    expect(edges.toSorted()).toEqual([
      'handbook/guide knowledge/Ideas/one',
      'knowledge/Ideas/one handbook/guide',
      'knowledge/Ideas/one knowledge/Ideas/two',
      'knowledge/Ideas/two knowledge/Ideas/one',
    ])
    expect(cutWikiGraph(wiki.graph(), 'handbook/guide', 1).nodes.map(({ id }) => id)).toEqual([
      'handbook/guide',
      'knowledge/Ideas/one',
    ])
    expect(() => cutWikiGraph(wiki.graph(), 'nothing', 1)).toThrow(/not found/)
    expect((await found('needle')).toSorted()).toEqual(['handbook/guide', 'knowledge/Ideas/one'])
    expect(await wiki.findNotes('needle', 10)).toEqual(['Ideas/one'])
    expect((await wiki.show('knowledge/Ideas/two')).html).toContain(
      '<a href="/knowledge/Ideas/one">One</a>',
    )
    expect((await wiki.preview('[[guide]] <b>', 'knowledge/Ideas/new')).html).toBe(
      '<p><a href="/wiki/handbook/guide">guide</a> &lt;b&gt;</p>\n',
    )
  })

  it('follow their files: a save, a new folder, a folder that comes later', async () => {
    put('person/handbook/a.md', 'apple')
    await open()
    const listeners = new Map<string, () => void>()
    let timers: { delayMs: number; run: () => void }[] = []
    let changes = 0
    const followed = followDocuments({
      documents,
      sources,
      setTimer: (delayMs, run) => {
        const timer = { delayMs, run }
        timers.push(timer)
        return () => {
          timers = timers.filter((each) => each !== timer)
        }
      },
      watchFolder: (path, { onChange }) => {
        if (!existsSync(path)) return undefined
        listeners.set(path, () => onChange(null))
        return () => listeners.delete(path)
      },
      onChange: () => changes++,
      onFault: (fault) => expect(fault).toBeUndefined(),
    })
    const runTimers = async (most: number) => {
      const due = timers.filter(({ delayMs }) => delayMs <= most)
      timers = timers.filter(({ delayMs }) => delayMs > most)
      for (const { run } of due) run()
      const before = changes
      while (changes === before) await new Promise((resolve) => setImmediate(resolve))
    }
    await followed.start()
    put('person/handbook/a.md', 'a pear')
    listeners.get(at('person/handbook'))?.()
    await runTimers(50)
    expect(await found('pear')).toEqual(['handbook/a'])
    put('person/handbook/new/b.md', 'plum')
    listeners.get(at('person/handbook'))?.()
    await runTimers(50)
    expect(await found('plum')).toEqual(['handbook/new/b'])
    expect(listeners.has(at('person/handbook/new'))).toBe(true)
    put('person/.claude/skills/Late/SKILL.md', 'cherry')
    timers.find(({ delayMs }) => delayMs > 50)?.run()
    await runTimers(50)
    expect(await found('cherry')).toEqual(['skills/claude/Late'])
    await followed.stop()
    expect(listeners.size).toBe(0)
  })
})
