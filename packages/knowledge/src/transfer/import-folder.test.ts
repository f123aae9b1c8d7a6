import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeNote } from '../notes/describe-note.ts'
import { readNoteFile } from '../notes/files/read-note-file.ts'
import { loadArchive } from '../notes/index/load-archive.ts'
import { keyOf, parseKey } from '../notes/note-place.ts'
import { exportNotes } from './export-notes.ts'
import { importFolder } from './import-folder.ts'

let base: string
let vault: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'steward-import-'))
  vault = join(base, 'My Vault')
  mkdirSync(vault)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const put = (path: string, text: string | Uint8Array) => {
  const file = join(vault, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, 1_700_000_000, 1_700_000_000)
}
const homeAt = (root: string) => ({
  knowledge: join(root, 'KNOWLEDGE'),
  databases: join(root, 'state'),
  stateDir: join(root, 'STATE'),
})
const run = async (options: { dryRun?: boolean; folder?: string } = {}) => {
  const home = homeAt(join(base, 'home'))
  for (const folder of Object.values(home)) mkdirSync(folder, { recursive: true })
  const loaded = loadArchive(home.knowledge)
  const result = await importFolder(
    { home, loaded },
    { folder: vault, domain: 'Ideas', ...options },
  )
  await loaded.refresh()
  return { ...result, home, loaded }
}
const outcomes = (notes: readonly { path: string; outcome: string }[]) =>
  Object.fromEntries(notes.map(({ path, outcome }) => [path, outcome]))
const archived = (key: string) => readFileSync(join(base, 'home/KNOWLEDGE', `${key}.md`), 'utf8')

describe('importing a folder', () => {
  it('keeps related notes, whatever their names are in the archive', async () => {
    put('a.md', '---\nrelated:\n  - slug: worms\n    type: supports\n  - Heap\n---\nText.\n')
    put('b.md', '---\nrelated:\n  - slug: heap\n    type: supports\n---\nText.\n')
    put('c.md', '---\nrelated:\n  - slug: nowhere\n    type: refutes\n---\nText.\n')
    put('worms.md', 'Theirs.\n')
    put('Heap.md', 'Leaves.\n')
    mkdirSync(join(base, 'home/KNOWLEDGE/Ideas'), { recursive: true })
    writeFileSync(join(base, 'home/KNOWLEDGE/Ideas/worms.md'), 'Mine.\n')
    const { home, loaded, notes, problems } = await run()
    const worms = notes.find(({ path }) => path === 'worms.md')?.file.replace(/\.md$/, '')
    expect(worms).not.toBe('Ideas/worms')
    const linksOf = (slug: string) => {
      const place = { domain: 'Ideas', slug } as const
      const file = readNoteFile(home.knowledge, place)
      return file && describeNote(loaded.index, place, file).links
    }
    expect(linksOf('a')).toMatchObject([
      { to: { slug: worms?.slice('Ideas/'.length) }, type: 'supports' },
      { to: { slug: 'heap' } },
    ])
    // Links whose name does not change are kept as written.
    expect(archived('Ideas/b')).toContain('related:\n  - slug: heap\n    type: supports\n')
    expect(problems).toEqual([
      { file: 'c.md', reason: 'its link to nowhere leads to no file of the folder' },
    ])
  })

  it('takes over titles, tags, aliases, subfolders, links and attachments', async () => {
    put('.obsidian/app.json', '{}')
    put(
      'Projects/Alpha/Road Map.md',
      '---\ntags: [plan, "#Next"]\naliases: [The Plan]\n---\nBy [[Ada Lovelace|Ada]], see [[Projects/Beta#Goals]].\n' +
        'supports:: [[Beta]]\n![[chart one.png|300]] and [pdf](../../files/a%20b.pdf). #idea/early `#no`\n',
    )
    put('Projects/Beta.md', '# Project Beta\n\nBack to [the plan](Alpha/Road%20Map.md#top). #12\n')
    put('People/Ada Lovelace.md', 'A person.\n')
    put('Clippings/note.md', '---\ntype: research\ntitle: "A: study"\n---\nText.\n')
    put('attachments/chart one.png', 'png')
    put('files/a b.pdf', 'pdf')
    put('files/unused.zip', 'zip')
    const { loaded, home, ...result } = await run()
    expect(result.notes.map(({ path, file }) => [path, file])).toEqual([
      ['Clippings/note.md', 'Research/a-study.md'],
      ['People/Ada Lovelace.md', 'People/ada-lovelace.md'],
      ['Projects/Alpha/Road Map.md', 'Ideas/road-map.md'],
      ['Projects/Beta.md', 'Ideas/project-beta.md'],
    ])
    const map = loaded.index.get('Ideas/road-map')
    expect(map).toMatchObject({
      title: 'Road Map',
      tags: ['plan', 'Next', 'idea/early', 'Projects/Alpha'],
      aliases: ['The Plan'],
      problems: [],
    })
    expect(loaded.index.get('Ideas/project-beta')?.aliases).toEqual(['Beta'])
    const place = { domain: 'Ideas', slug: 'road-map' } as const
    const file = readNoteFile(home.knowledge, place)
    if (file === undefined) throw new Error('not imported')
    const { links, backlinks } = describeNote(loaded.index, place, file)
    expect(links.map(({ to, type }) => [to && keyOf(to), type])).toEqual([
      ['People/ada-lovelace', undefined],
      ['Ideas/project-beta', 'supports'],
    ])
    expect(backlinks.map(keyOf)).toEqual(['Ideas/project-beta'])
    expect(file.text).toContain(
      '[[People/ada-lovelace|Ada]], see [[project-beta#Goals|Projects/Beta]]',
    )
    expect(file.text).toContain(
      '![chart one.png](../_attachments/my-vault/attachments/chart%20one.png)',
    )
    expect(readFileSync(join(home.knowledge, '_attachments/my-vault/files/a b.pdf'), 'utf8')).toBe(
      'pdf',
    )
    expect(result.skipped).toEqual([
      { file: 'files/unused.zip', reason: 'it is not Markdown, and no note links to it' },
    ])
    expect(result.problems).toEqual([])
  })

  it('names the candidates of a link that fits several files', async () => {
    put('Same.md', 'At the top.')
    put('a/Same.md', 'See [[Same]], which is this note.')
    put('a/Twice.md', 'One.')
    put('bb/Twice.md', 'Two.')
    put('ccc/Twice.md', 'Three.')
    put('dddd/Twice.md', 'Four.')
    put('e/One.md', '---\naliases: [Alias]\n---\nText.')
    put('e/Two.md', '---\naliases: [Alias]\n---\nText.')
    put('e/p.png', 'png')
    put('f/p.png', 'png')
    put(
      'x/links.md',
      '---\nrelated: [Alias]\n---\n[[Same]] [[twice]] [[twice]] ![[p.png]] [[bb/Twice]]',
    )
    const { problems } = await run()
    expect(problems.map(({ file, reason }) => `${file}: ${reason}`)).toEqual([
      'x/links.md: its link to Same leads to Same.md, but also fits a/Same.md',
      'x/links.md: its link to twice leads to a/Twice.md, but also fits bb/Twice.md, ccc/Twice.md and 1 more',
      'x/links.md: its link to p.png leads to e/p.png, but also fits f/p.png',
      'x/links.md: its link to Alias leads to e/One.md, but also fits e/Two.md',
    ])
    expect(archived('Ideas/links')).toContain('[[same|Same]] [[twice]] [[twice]]')
  })

  it('writes nothing in a dry run', async () => {
    put('a.md', 'See ![[b.png]]')
    put('b.png', 'x')
    const { notes, attachments } = await run({ dryRun: true })
    expect([outcomes(notes), attachments]).toEqual([{ 'a.md': 'added' }, ['b.png']])
    expect(readdirSync(join(base, 'home/KNOWLEDGE'))).toEqual([])
    expect(readdirSync(join(base, 'home/STATE'))).toEqual([])
  })

  it('can be repeated: only changes are written, and changes made here are kept', async () => {
    for (const name of ['same', 'edited there', 'edited here', 'removed here'])
      put(`${name}.md`, `Text of ${name}.`)
    await run()
    expect(new Set(Object.values(outcomes((await run()).notes)))).toEqual(new Set(['unchanged']))
    put('edited there.md', 'New text.')
    put('edited here.md', 'Lost text.')
    const here = join(base, 'home/KNOWLEDGE/Ideas')
    writeFileSync(join(here, 'edited-here.md'), 'My text.')
    rmSync(join(here, 'removed-here.md'))
    put('removed here.md', 'Back again?')
    expect(outcomes((await run()).notes)).toEqual({
      'same.md': 'unchanged',
      'edited there.md': 'updated',
      'edited here.md': 'kept',
      'removed here.md': 'kept',
    })
    expect(readFileSync(join(here, 'edited-here.md'), 'utf8')).toBe('My text.')
    expect(existsSync(join(here, 'removed-here.md'))).toBe(false)
    expect(archived('Ideas/edited-there')).toContain('New text.')
  })

  it('keeps the note of a moved file, and reports a removed one', async () => {
    put('a.md', 'A.')
    put('b.md', 'B.')
    await run()
    mkdirSync(join(vault, 'sub'))
    renameSync(join(vault, 'a.md'), join(vault, 'sub/a.md'))
    rmSync(join(vault, 'b.md'))
    const { notes, gone, loaded } = await run()
    expect(notes).toEqual([{ path: 'sub/a.md', file: 'Ideas/a.md', outcome: 'updated' }])
    expect(gone).toEqual(['Ideas/b.md'])
    expect(loaded.index.notes().map(keyOf).toSorted()).toEqual(['Ideas/a', 'Ideas/b'])
  })

  it('adopts its own notes when it was killed before it recorded them', async () => {
    put('a.md', 'A.')
    await run()
    rmSync(join(base, 'home/STATE'), { recursive: true })
    expect((await run()).notes).toEqual([
      { path: 'a.md', file: 'Ideas/a.md', outcome: 'unchanged' },
    ])
  })

  it('keeps notes of the same name apart, also from those that were there', async () => {
    mkdirSync(join(base, 'home/KNOWLEDGE/Ideas'), { recursive: true })
    writeFileSync(join(base, 'home/KNOWLEDGE/Ideas/log.md'), 'Mine.')
    put('one/Log.md', 'One [[Log]].')
    put('two/Log.md', 'Two [[one/Log]].')
    put('README.md', 'Read me.')
    const { notes } = await run()
    expect(notes.map(({ file }) => file)).toEqual([
      expect.stringMatching(/^Ideas\/readme-[0-9a-f]{8}\.md$/),
      'Ideas/one-log.md',
      'Ideas/two-log.md',
    ])
    expect(archived('Ideas/log')).toBe('Mine.')
    expect(archived('Ideas/one-log')).toContain('[[one-log|Log]]')
    expect(archived('Ideas/two-log')).toContain('[[one-log|one/Log]]')
  })

  it('reads typed relations of frontmatter, quality 0 and maps of content', async () => {
    put(
      'Ideas/Big_Idea.md',
      '---\nquality: 0\nrelated:\n  - slug: Other_Idea\n    type: contradicts\n---\nText\n',
    )
    put('Ideas/Other_Idea.md', 'Text')
    put('Ideas/_index.md', '# Map\n\n[[Big_Idea]]')
    put('Blogs/post.md', 'A post')
    const { loaded, notes, home } = await run()
    expect(notes.map(({ file }) => file)).toEqual([
      'Ideas/post.md',
      'Ideas/big-idea.md',
      'Ideas/other-idea.md',
      'Ideas/_index.md',
    ])
    const place = { domain: 'Ideas', slug: 'big-idea' } as const
    const file = readNoteFile(home.knowledge, place)
    expect(file && describeNote(loaded.index, place, file)).toMatchObject({
      quality: 1,
      links: [{ to: { slug: 'other-idea' }, type: 'contradicts' }],
      problems: [],
    })
  })
})

describe('a hostile folder', () => {
  it('is read without leaving it, and everything left out is listed', async () => {
    writeFileSync(join(base, 'secret.md'), 'secret')
    writeFileSync(join(base, 'secret.txt'), 'secret')
    symlinkSync(join(base, 'secret.md'), join(vault, 'link.md'))
    symlinkSync(base, join(vault, 'up'))
    put('big.md', 'x'.repeat(1024 * 1024 + 1))
    put('torn.md', Buffer.from('a caf\u00e9').subarray(0, -1))
    put('nul.md', 'a\0b')
    put('empty.md', '\n')
    put('unclosed.md', '---\ntitle: never ends\ntext')
    put('broken.md', '---\ntitle: [a\nb: }\n---\nStill text with `code`.\n')
    put('bomb.md', '---\na: &a [x, x]\nb: [*a, *a]\n---\nBody\n')
    put(
      'leave.md',
      '[a](../secret.md) ![b](../secret.txt) [[../secret]] [c](/etc/passwd) [d](file:///etc/passwd) [[gone]]',
    )
    const { notes, skipped, problems } = await run()
    expect(outcomes(notes)).toEqual({
      'bomb.md': 'added',
      'broken.md': 'added',
      'leave.md': 'added',
      'unclosed.md': 'added',
    })
    expect(skipped.map(({ file, reason }) => `${file}: ${reason}`)).toEqual([
      'big.md: it has 1048577 bytes; the limit is 1048576',
      'link.md: it is a symbolic link; those are not followed',
      'up: it is a symbolic link; those are not followed',
      'empty.md: it is empty',
      'nul.md: it is not text',
      'torn.md: it is not UTF-8 text',
    ])
    expect(problems.filter(({ file }) => file === 'leave.md').map(({ reason }) => reason)).toEqual([
      'its link to gone leads to no file of the folder',
      ...['../secret.md', '../secret.txt', '../secret', '/etc/passwd', 'file:///etc/passwd'].map(
        (target) => `its link to ${target} leads out of the folder and is left as text`,
      ),
    ])
    for (const file of ['bomb.md', 'broken.md', 'unclosed.md'])
      expect(problems.map((each) => each.file)).toContain(file)
    expect(archived('Ideas/broken')).toContain('title: [a\nb: }\n```\n\nStill text with `code`.')
    expect(archived('Ideas/unclosed')).toContain('title: never ends\ntext')
    const written = readdirSync(join(base, 'home/KNOWLEDGE'), { recursive: true }).map(String)
    expect(written.filter((path) => path.includes('secret'))).toEqual([])
  })

  it.each([['missing'], ['a file'], ['the archive'], ['above the archive']])(
    'is refused: %s',
    async (kind) => {
      put('a.md', 'A.')
      const folder = {
        missing: join(base, 'nowhere'),
        'a file': join(vault, 'a.md'),
        'the archive': join(base, 'home/KNOWLEDGE'),
        'above the archive': join(base, 'home'),
      }[kind]
      await expect(run({ folder: folder ?? '' })).rejects.toThrow(/not found|not a folder|contain/)
    },
  )

  it('may contain any text; what is imported can be read and imports the same again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom('---\n', '[[', ']]', '](', ')', '#', '```\n', 'a.md', '\n'),
          ),
          { maxLength: 20 },
        ),
        async (pieces) => {
          put('a.md', pieces.join(''))
          rmSync(join(base, 'home'), { recursive: true, force: true })
          const first = await run()
          for (const { file } of first.notes) {
            const key = parseKey(file)
            expect(key && first.loaded.index.get(keyOf(key))).toBeDefined()
          }
          const again = await run()
          expect(again.notes.every(({ outcome }) => outcome === 'unchanged')).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('exporting notes', () => {
  it('gives imported files back with the same links, and the others by title', async () => {
    put('Projects/Road Map.md', 'See [[Beta]] and [beta](../Beta.md), ![x](pic.png).')
    put('Projects/pic.png', 'png')
    put('Beta.md', 'Back to [[Projects/Road Map|the map]].')
    const { loaded, home } = await run()
    mkdirSync(join(home.knowledge, 'People'), { recursive: true })
    writeFileSync(
      join(home.knowledge, 'People/ada.md'),
      '---\ntitle: "Ada: Countess"\norigin: x/../../evil.md\n---\nKnows [[Ideas/beta]].\n',
    )
    await loaded.refresh()
    const folder = join(base, 'out')
    const exported = await exportNotes({ root: home.knowledge, loaded, folder })
    expect(exported.notes.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['Beta.md', 'written'],
      ['Projects/Road Map.md', 'written'],
      ['People/Ada Countess.md', 'written'],
    ])
    expect(readFileSync(join(folder, 'Projects/Road Map.md'), 'utf8')).toContain(
      'See [[Beta|Beta]] and [beta](../Beta.md), ![x](../_attachments/my-vault/Projects/pic.png).',
    )
    expect(readFileSync(join(folder, 'Beta.md'), 'utf8')).toContain('[[Projects/Road Map|the map]]')
    expect(readFileSync(join(folder, '_attachments/my-vault/Projects/pic.png'), 'utf8')).toBe('png')
    expect(existsSync(join(base, 'evil.md'))).toBe(false)

    writeFileSync(join(folder, 'Beta.md'), 'Changed there.')
    const again = await exportNotes({ root: home.knowledge, loaded, folder })
    expect(again.notes.map(({ outcome }) => outcome)).toEqual(['kept', 'unchanged', 'unchanged'])
    expect(readFileSync(join(folder, 'Beta.md'), 'utf8')).toBe('Changed there.')
    await exportNotes({ root: home.knowledge, loaded, folder, overwrite: true })
    expect(readFileSync(join(folder, 'Beta.md'), 'utf8')).toContain('Back to')
  })

  it('never writes through a link that leads out of the folder', async () => {
    put('sub/a.md', 'A.')
    const { loaded, home } = await run()
    const folder = join(base, 'out')
    mkdirSync(folder)
    mkdirSync(join(base, 'elsewhere'))
    symlinkSync(join(base, 'elsewhere'), join(folder, 'sub'))
    await expect(exportNotes({ root: home.knowledge, loaded, folder })).rejects.toThrow(/outside/)
    expect(readdirSync(join(base, 'elsewhere'))).toEqual([])
  })
})
