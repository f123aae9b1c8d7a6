import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveHome } from '../../home/home.ts'
import { addLadderItem } from './add-ladder-item.ts'
import { findLadderEntry } from './find-ladder-entry.ts'
import { resolveLadderRoot } from './ladder-root.ts'
import { parseLadderStage } from './ladder-stages.ts'
import { promoteLadderItem } from './promote-ladder-item.ts'
import { readLadder } from './read-ladder.ts'

let root: string
const now = () => new Date('2026-03-01T10:00:00Z')

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'steward-ladder-')), 'LADDER')
})
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }))

const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const put = (file: string, text: string) => {
  mkdirSync(join(root, file, '..'), { recursive: true })
  writeFileSync(join(root, file), text)
}

describe('the ladder', () => {
  it('is empty and not available without a folder', async () => {
    expect(await readLadder(root)).toEqual({ available: false, entries: [], problems: [] })
  })

  it('adds items with ids of their stage', async () => {
    await addLadderItem(root, { stage: 'sources', title: ' A  paper:\nwhy ' }, now)
    await addLadderItem(root, { stage: 'ideas', title: 'Try it', from: 'sr-1', body: 'So.' }, now)
    expect((await readLadder(root)).entries).toEqual([
      {
        id: 'SR-001',
        title: 'A paper: why',
        status: 'open',
        created: '2026-03-01T10:00:00.000Z',
        stage: 'sources',
        file: 'Sources/SR-001.md',
      },
      {
        id: 'ID-001',
        title: 'Try it',
        status: 'open',
        created: '2026-03-01T10:00:00.000Z',
        from: 'SR-001',
        text: 'So.',
        stage: 'ideas',
        file: 'Ideas/ID-001.md',
      },
    ])
    expect(textOf('Ideas/ID-001.md')).toMatch(
      /^---\nid: ID-001\ntitle: Try it\n[\s\S]*---\n\nSo\.\n$/,
    )
  })

  it('promotes: the next stage, linked, the old one marked and otherwise untouched', async () => {
    const text = '---\nid: SR-004\ntitle: A paper\nstatus: open # for now\nmine: 1\n---\nkept\n'
    put('Sources/note.md', text)
    const { made } = await promoteLadderItem(root, { id: 'SR-004' }, now)
    expect(made).toMatchObject({ id: 'ID-001', stage: 'ideas', title: 'A paper', from: 'SR-004' })
    expect(textOf('Ideas/ID-001.md')).toContain('Grew out of [SR-004](../Sources/note.md).')
    expect(textOf('Sources/note.md')).toBe(
      text.replace('status: open # for now', 'status: promoted'),
    )
  })

  it('skips stages on request, and never goes down or beyond the last', async () => {
    await addLadderItem(root, { stage: 'ideas', title: 'x' }, now)
    const { made } = await promoteLadderItem(root, { id: 'ID-001', to: 'results', title: 'y' }, now)
    expect(made).toMatchObject({ id: 'RE-001', title: 'y' })
    await expect(promoteLadderItem(root, { id: 'ID-001', to: 'sources' }, now)).rejects.toThrow(
      'can only go up',
    )
    await expect(promoteLadderItem(root, { id: 'RE-001' }, now)).rejects.toThrow('the last stage')
  })

  it('names an unknown id and the nearest', async () => {
    await addLadderItem(root, { stage: 'ideas', title: 'x' }, now)
    await expect(promoteLadderItem(root, { id: 'ID-002' }, now)).rejects.toThrow(
      'ladder item not found: ID-002 (did you mean ID-001?)',
    )
    const item = { stage: 'ideas', title: 'y', from: 'HY-009' } as const
    await expect(addLadderItem(root, item, now)).rejects.toThrow('not found: HY-009')
    expect((await readLadder(root)).entries).toHaveLength(1)
  })

  it('reports files that it cannot parse, and continues', async () => {
    put('Ideas/a.md', 'no frontmatter')
    put('Ideas/b.md', '---\nid: SR-001\ntitle: x\n---\n')
    put('Ideas/c.md', '---\ntitle: x\n---\n')
    put('Ideas/d.md', '---\nid: ID-7\n---\n\n# From the heading\n')
    put('Ideas/e.md', '---\nid: ID-7\ntitle: twin\n---\n')
    put('Ideas/README.md', 'about')
    put('Ideas/_index.md', 'index')
    put('Ideas/ID-012.md', '---\nbroken\n---\n')
    const { entries, problems } = await readLadder(root)
    expect(entries.map(({ id, title }) => [id, title])).toEqual([['ID-7', 'From the heading']])
    expect(problems).toEqual([
      { file: 'Ideas/ID-012.md', reason: 'line 2 is not "key: value"' },
      { file: 'Ideas/a.md', reason: 'it does not begin with frontmatter (---)' },
      { file: 'Ideas/b.md', reason: 'the id SR-001 does not belong in Ideas: use ID-001' },
      { file: 'Ideas/c.md', reason: 'it has no id' },
      { file: 'Ideas/e.md', reason: 'its id ID-7 is that of Ideas/d.md' },
    ])
    const added = await addLadderItem(root, { stage: 'ideas', title: 'new' }, now)
    expect(added.id).toBe('ID-013')
  })

  it('sorts by number, also above 999', async () => {
    for (const id of ['SR-1000', 'SR-999', 'SR-2']) {
      put(`Sources/${id}.md`, `---\nid: ${id}\ntitle: x\n---\n`)
    }
    const { entries } = await readLadder(root)
    expect(entries.map(({ id }) => id)).toEqual(['SR-2', 'SR-999', 'SR-1000'])
    expect((await addLadderItem(root, { stage: 'sources', title: 'x' }, now)).id).toBe('SR-1001')
  })

  it('assigns unique ids to parallel adds', async () => {
    const titles = Array.from({ length: 20 }, (_, n) => `item ${n}`)
    const added = await Promise.all(
      titles.map((title) => addLadderItem(root, { stage: 'sources', title }, now)),
    )
    expect(new Set(added.map(({ id }) => id)).size).toBe(20)
    const { entries } = await readLadder(root)
    expect(entries.map(({ title }) => title).toSorted()).toEqual(titles.toSorted())
  })

  it.each(['', '  \n', 'x'.repeat(201)])('refuses the title %j', async (title) => {
    await expect(addLadderItem(root, { stage: 'ideas', title }, now)).rejects.toThrow('the title')
  })
})

describe('words for it', () => {
  it('accepts a stage in any form and suggests the nearest', () => {
    expect(['hypothesis', 'Hypotheses', 'HY'].map(parseLadderStage)).toEqual(
      Array(3).fill('hypotheses'),
    )
    expect(() => parseLadderStage('idees')).toThrow('idees is not a stage (did you mean ideas?)')
  })

  it('reports that the ladder is empty', () => {
    const empty = { available: true, entries: [], problems: [] }
    expect(() => findLadderEntry(empty, 'SR-001')).toThrow('the ladder is empty')
  })

  it('finds the folder', () => {
    const home = resolveHome({ STEWARD_HOME: '/h' })
    const rootOf = (ladder?: string) =>
      resolveLadderRoot(home, settings.parse({ learning: { ladder } }), '/me')
    expect([rootOf(), rootOf('climb'), rootOf('~/climb'), rootOf('/x')]).toEqual([
      '/h/MEMORY/LEARNING/LADDER',
      '/h/climb',
      '/me/climb',
      '/x',
    ])
  })
})
