import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { renderMarkdown } from '../render/render-markdown.ts'
import { editDistance } from './edit-distance.ts'
import { findWords, foldWords } from './fold-words.ts'
import { createLargeIndexing } from './index-large.ts'
import { openSearchIndex, type SearchIndex } from './open-search-index.ts'
import type { SearchDocument } from './search-document.ts'
import { splitSections } from './split-sections.ts'

const NOW = Date.UTC(2026, 5, 1)
let folder: string
let file: string
let warnings: string[]
let resets: number
let index: SearchIndex
const open = () =>
  openSearchIndex({
    file,
    now: () => NOW,
    warn: (message) => warnings.push(message),
    onReset: () => resets++,
  })
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-search-'))
  file = join(folder, 'state/search.sqlite')
  warnings = []
  resets = 0
  index = open()
})
afterEach(() => {
  index.close()
  rmSync(folder, { recursive: true, force: true })
})

const page = (id: string, text: string, more: Partial<SearchDocument> = {}): SearchDocument => {
  const { title = id } = splitSections(text)
  const plain = { kind: 'document', names: [], tags: [], updatedMs: 0, mark: '1', data: '{}' }
  return { ...plain, id, title, content: text, ...more }
}
const idsOf = async (query: string, options = {}) =>
  (await index.search(query, options)).results.map(({ id }) => id)

describe('the search index', () => {
  it('finds words anywhere and explains the rank of a result', async () => {
    await index.put([
      page('text', '# Other\n\nA word about feeds.'),
      page('heading', '# Another\n\n## Feeds\n\nNothing.'),
      page('title', '# Feeds\n\nNothing.'),
      page('tag', '# Third\n\nNothing.', { tags: ['feeds'] }),
      page('none', '# None\n\nNothing.'),
    ])
    const { results, total, matched } = await index.search('feeds')
    expect(results.map(({ id }) => id)).toEqual(['title', 'tag', 'heading', 'text'])
    expect({ total, matched }).toEqual({ total: 4, matched: 'all' })
    const parts = Object.fromEntries(results.map(({ id, why }) => [id, why[0]?.part]))
    expect(parts).toEqual({ title: 'title', tag: 'tag', heading: 'heading', text: 'text' })
    for (const { score, why } of results) {
      expect(why.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score, 6)
    }
    expect(results[2]).toMatchObject({ anchor: 's-feeds', heading: 'Feeds' })
  })

  it('prefers newer and more linked documents if the words match equally', async () => {
    const text = '# Same\n\nEqual words.'
    await index.put([
      page('old', text),
      page('new', text, { updatedMs: NOW - 1000 }),
      page('linked', text),
    ])
    const linksTo = (id: string) => (id === 'linked' ? 8 : 0)
    expect(await idsOf('equal')).toEqual(['new', 'linked', 'old'])
    expect(
      (await index.search('equal', { linksTo })).results[1]?.why.map(({ part }) => part),
    ).toContain('links')
  })

  it('corrects typos and reports it; the last word may be unfinished', async () => {
    await index.put([page('a', 'How to receive notifications of the watchdog.')])
    const { results, corrections } = await index.search('recieve notifcations')
    expect(results.map(({ id }) => id)).toEqual(['a'])
    expect(corrections).toEqual([
      { word: 'recieve', used: ['receive'] },
      { word: 'notifcations', used: ['notifications'] },
    ])
    expect(await idsOf('receive noti')).toEqual(['a'])
    expect((await index.search('receive noti ')).matched).toBe('some')
    expect(await idsOf('watchdg')).toEqual(['a'])
    expect(await idsOf('wat')).toEqual(['a'])
    expect(await idsOf('xyzzyx')).toEqual([])
  })

  it('uses some of the words if no document has all, and quoted words literally', async () => {
    await index.put([page('a', 'red green'), page('b', 'green red'), page('c', 'green blue')])
    expect(await index.search('red blue')).toMatchObject({ matched: 'some', total: 3 })
    expect(await idsOf('"green red"')).toEqual(['b'])
    expect(await idsOf('"green red')).toEqual(['b'])
    expect((await index.search('"""  ""')).matched).toBe('none')
  })

  it('handles accents, scripts without spaces, and names of actions', async () => {
    await index.put([
      page('de', 'Die Größe der Übung, naïve.'),
      page('ja', '東京都は日本の首都です。'),
      page('ko', '한국어 문서를 찾습니다'),
      page('th', 'ภาษาไทยง่าย'),
      page('action', 'See A_LABEL_AND_RATE for it.'),
      page('words', 'rate and label a'),
    ])
    expect(await idsOf('grosse')).toEqual(['de'])
    expect(await idsOf('UBUNG naive')).toEqual(['de'])
    expect(await idsOf('首都')).toEqual(['ja'])
    expect(await idsOf('都首')).toEqual([])
    expect(await idsOf('문서')).toEqual(['ko'])
    expect(await idsOf('ไทย')).toEqual(['th'])
    expect(await idsOf('A_LABEL_AND_RATE')).toEqual(['action'])
    expect(await idsOf('label_an')).toEqual(['action'])
    expect((await index.search('首都')).results[0]?.snippet).toContainEqual({
      text: '首都',
      hit: true,
    })
  })

  it('shows the text around a hit as parts, without markup', async () => {
    const filler = 'lorem ipsum dolor '.repeat(30)
    await index.put([
      page('a', `# T\n\n${filler}\n\n## Part <b>\n\n${filler} the **Nëedle** <i> ${filler}`),
    ])
    const [result] = (await index.search('needle')).results
    expect(result).toMatchObject({ anchor: 's-part-b', heading: 'Part <b>' })
    expect(result?.snippet.filter(({ hit }) => hit)).toEqual([{ text: 'Nëedle', hit: true }])
    const text = result?.snippet.map((part) => part.text).join('') ?? ''
    expect(text).toMatch(/^….*the Nëedle <i> .*…$/)
    expect(text.length).toBeLessThan(220)
  })

  it('replaces, removes, filters by kind and pages; persists across processes', async () => {
    await index.put([page('a', 'apple'), page('b', 'apple', { kind: 'note' }), page('c', 'apple')])
    await index.put([page('a', 'pear', { mark: '2' })])
    await index.remove(['c', 'unknown'])
    index.close()
    index = open()
    expect(await idsOf('apple')).toEqual(['b'])
    expect(await idsOf('apple', { kinds: ['document'] })).toEqual([])
    expect(await idsOf('apples')).toEqual(['b'])
    await index.put([page('d', 'apples')])
    expect(await idsOf('aplpes')).toEqual(['d'])
    expect(index.entries('document')).toEqual([
      { id: 'a', mark: '2', data: '{}' },
      { id: 'd', mark: '1', data: '{}' },
    ])
    expect((await index.search('apple pear', { offset: 1, limit: 1 })).results).toHaveLength(1)
  })

  it('stores long texts in a thread, in the order of the calls, and finds the same', async () => {
    const lines = Array.from({ length: 2000 }, (_, at) => `## Part ${at}\n\nword${at} of *many*.\n`)
    const long = `# Long\n\nA summary.\n\n${lines.join('\n')}`
    const queries = ['word1', 'word1999', 'Part 77', '"word5 of many"', 'Long', 'wrod12']
    const answersAfterWrites = async () => {
      await Promise.all([
        index.put([page('long', `${long} outdated`)]),
        index.put([page('gone', long)]),
        index.remove(['gone']),
        index.put([page('long', long), page('short', 'word1')]),
      ])
      return Promise.all(queries.map((query) => index.search(query)))
    }
    const expected = await answersAfterWrites()
    index.close()
    rmSync(file)
    const large = createLargeIndexing()
    index = openSearchIndex({ file, now: () => NOW, warn: (text) => warnings.push(text), large })
    expect(await answersAfterWrites()).toEqual(expected)
    expect(await idsOf('outdated')).toEqual([])
    expect(await large.outline(long)).toEqual({ title: 'Long', summary: 'A summary.' })
    expect(warnings).toEqual([])
  })

  it('is made again when its file is damaged, loudly', async () => {
    await index.put(Array.from({ length: 200 }, (_, at) => page(`d${at}`, `word${at} `.repeat(50))))
    index.close()
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 100, bytes.length - 100)
    writeFileSync(file, bytes)
    index = open()
    expect((await index.search('word7')).results).toEqual([])
    await index.put([page('a', 'word7')])
    expect(await idsOf('word7')).toEqual(['a'])
    expect(warnings.join()).toContain('is damaged and is rebuilt')
    index.close()
    writeFileSync(file, 'no database at all, but a text that is longer than a header of one')
    index = open()
    expect(await idsOf('word7')).toEqual([])
    // Its first page is intact: the damage shows when the tables are accessed.
    await index.put([page('a', 'word7 '.repeat(1000))])
    index.close()
    const pages = readFileSync(file)
    pages.fill(0x5a, 4096)
    writeFileSync(file, pages)
    index = open()
    await index.put([page('b', 'word8')])
    expect(await idsOf('word8')).toEqual(['b'])
    expect(warnings).toHaveLength(3)
  })

  it('answers any query', async () => {
    await index.put([page('a', 'some words, 東京, and NEAR(x) "quoted" -minus col:on * ^')])
    const word = fc.constantFrom(
      '"',
      '*',
      'NEAR',
      'AND',
      'OR',
      'NOT',
      '(',
      ')',
      ':',
      '-',
      '^',
      'some',
    )
    const query = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
    )
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { results, matched } = await index.search(text)
        expect(results.length === 0).toBe(matched === 'none')
      }),
      { numRuns: 50 },
    )
  })
})

describe('words', () => {
  it('are the same with and without their places, and fold the same twice', async () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(texts, (text) => {
        const words = foldWords(text)
        expect(findWords(text).map(({ term }) => term)).toEqual(words)
        expect(foldWords(words.join(' '))).toEqual(words)
      }),
    )
  })

  it('equal the minimum number of edits', async () => {
    expect(editDistance('recieve', 'receive', 2)).toBe(1)
    expect(editDistance('abc', 'abc', 0)).toBe(0)
    expect(editDistance('abc', 'abd', 0)).toBeUndefined()
    expect(editDistance('kitten', 'sitting', 3)).toBe(3)
    expect(editDistance('kitten', 'sitting', 2)).toBeUndefined()
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        const slips = editDistance(a, b, 10)
        expect(editDistance(b, a, 10)).toBe(slips)
        for (let most = 0; most < 6; most++) {
          expect(editDistance(a, b, most)).toBe(
            slips !== undefined && slips <= most ? slips : undefined,
          )
        }
      }),
    )
  })
})

it('sections have the anchors that the text is rendered with', () => {
  const line = fc.constantFrom(
    '# A',
    '## A',
    'A\n===',
    '```',
    '# `x` *y*',
    'text',
    '',
    '> # q',
    '- # l',
    '[a]: b',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const text = lines.join('\n')
      const anchors = splitSections(text).sections.map(({ anchor }) => anchor)
      const rendered = renderMarkdown(text).headings.map(({ anchor }) => anchor)
      expect(anchors.filter((anchor) => anchor !== '')).toEqual(rendered)
    }),
  )
})
