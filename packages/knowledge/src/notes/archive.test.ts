import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { describeNote } from './describe-note.ts'
import type { ArchivePlace } from './files/archive-place.ts'
import { readNoteFile } from './files/read-note-file.ts'
import { buildGraph, cutGraph } from './index/build-graph.ts'
import { type FollowPorts, followArchive } from './index/follow-archive.ts'
import { loadArchive } from './index/load-archive.ts'
import { createNote } from './write/create-note.ts'
import { renameNote } from './write/rename-note.ts'
import { saveNote } from './write/save-note.ts'
import { listTrash, removeNote, restoreNote } from './write/trash.ts'

let folder: string
let archive: ArchivePlace
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-notes-'))
  archive = { root: join(folder, 'KNOWLEDGE'), lock: join(folder, 'knowledge.lock') }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (second: number) => () => new Date(Date.UTC(2026, 2, 1, 10, 0, second))
const put = (file: string, text: string | Uint8Array) => {
  mkdirSync(join(archive.root, file, '..'), { recursive: true })
  writeFileSync(join(archive.root, file), text)
}
const textOf = (file: string) => readFileSync(join(archive.root, file), 'utf8')
const open = async () => {
  const loaded = loadArchive(archive.root)
  await loaded.refresh()
  return loaded
}
const ada = { domain: 'People', slug: 'ada' } as const
const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => (thrown instanceof StewardError ? thrown : undefined),
  )

describe('an archive', () => {
  it('is empty without a folder', async () => {
    const loaded = await open()
    expect(loaded.index.notes()).toEqual([])
    expect(loaded.problems()).toEqual([])
  })

  it('resolves notes by slug, alias and title, and knows backlinks', async () => {
    put(
      'People/ada.md',
      '---\ntitle: Ada Lovelace\naliases: [Countess]\nupdated: 2026-01-02\n---\n',
    )
    put(
      'Ideas/engine.md',
      '---\nrelated: [ada]\nupdated: 2026-01-03\n---\n# The engine\n[[countess]]',
    )
    put('Ideas/ada.md', '# Ada the language\nsee [[Ada Lovelace]] and [[ADA]] and [[nobody]]')
    put('Ideas/_index.md', '# Ideas\n[[engine]]')
    const { index } = await open()
    expect(
      index
        .notes()
        .map(({ title }) => title)
        .slice(1),
    ).toEqual(['The engine', 'Ada Lovelace'])
    expect(index.resolve('ada', 'Ideas')).toMatchObject({ domain: 'Ideas' })
    expect(index.resolve('ada', 'Companies')).toMatchObject({ domain: 'People' })
    expect(index.resolve('people/ada', 'Ideas')).toMatchObject({ title: 'Ada Lovelace' })
    expect(index.backlinksOf('People/ada').map(({ slug }) => slug)).toEqual(['ada', 'engine'])
    expect(index.backlinksOf('Ideas/engine').map(({ slug }) => slug)).toEqual(['_index'])
    const graph = buildGraph(index)
    expect(graph.nodes).toHaveLength(3)
    expect(graph.edges).toContainEqual({ source: 'Ideas/engine', target: 'People/ada' })
    expect(cutGraph(graph, 'people/ada', 1).nodes).toHaveLength(3)
    expect(() => cutGraph(graph, 'Ideas/none', 1)).toThrow('note not found: Ideas/none')
  })

  it('detects exactly the changes', async () => {
    put('Ideas/a.md', '[[b]]')
    const loaded = await open()
    put('Ideas/b.md', 'b')
    expect(await loaded.refresh()).toEqual([{ domain: 'Ideas', slug: 'b', kind: 'added' }])
    expect(loaded.index.backlinksOf('Ideas/b')).toHaveLength(1)
    put('Ideas/a.md', 'none any more')
    rmSync(join(archive.root, 'Ideas/b.md'))
    expect(await loaded.refresh()).toEqual([
      { domain: 'Ideas', slug: 'b', kind: 'removed' },
      { domain: 'Ideas', slug: 'a', kind: 'changed' },
    ])
    expect(await loaded.refresh()).toEqual([])
  })

  it('reports files it does not read, and reads nothing outside', async () => {
    const secret = join(folder, 'secret.md')
    writeFileSync(secret, '# secret')
    mkdirSync(join(archive.root, 'Ideas'), { recursive: true })
    symlinkSync(secret, join(archive.root, 'Ideas', 'linked.md'))
    symlinkSync(folder, join(archive.root, 'Research'))
    put('Ideas/large.md', Buffer.alloc(LIMITS.noteBytes + 1, 'x'))
    put('Ideas/bytes.md', Buffer.from([0xff, 0xfe, 0x00]))
    put('Ideas/Ada Lovelace.md', 'x')
    put(`Ideas/${'é'.normalize('NFD')}.md`, 'x')
    mkdirSync(join(archive.root, 'Ideas', 'folder.md'))
    put('Ideas/.draft.md', 'x')
    put('Ideas/README.md', 'x')
    const loaded = await open()
    expect(loaded.index.notes()).toEqual([])
    const problems = loaded.problems().map(({ file, reason }) => `${file}: ${reason}`)
    expect(problems).toHaveLength(7)
    expect(problems).toContain('Research: it is a symbolic link; those are not followed')
    expect(problems.join('\n')).toContain('Ada Lovelace.md: its name is not a slug')
    expect(problems).toContain('Ideas/linked.md: it is a symbolic link; those are not followed')
    const linked = { domain: 'Ideas', slug: 'linked' } as const
    expect(await caught(saveNote(archive, linked, 'mine', {}, at(0)))).toMatchObject({
      status: 422,
    })
    const outside = { domain: 'Research', slug: 'x' } as const
    expect(await caught(createNote(archive, { ...outside, title: 'X' }, at(0)))).toMatchObject({
      code: 'rejected_content',
    })
    expect(readFileSync(secret, 'utf8')).toBe('# secret')
    expect(readdirSync(folder)).not.toContain('x.md')
  })

  it('is followed: a saved file is seen after a moment, by its name alone', async () => {
    const timers: { delayMs: number; run: () => void }[] = []
    const listeners = new Map<string, (name: string | null) => void>()
    const seen: unknown[] = []
    const loaded = loadArchive(archive.root)
    const ports: FollowPorts = {
      root: archive.root,
      archive: loaded,
      setTimer: (delayMs, run) => {
        timers.push({ delayMs, run })
        return () => undefined
      },
      watchFolder: (path, { onChange }) => {
        listeners.set(path, onChange)
        return () => undefined
      },
      onChanges: (changes) => seen.push(...changes),
      onFault: () => undefined,
    }
    const followed = followArchive(ports)
    await followed.start()
    expect(followed.isWatched()).toBe(true)
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([30_000])
    put('Ideas/a.md', 'x')
    const tell = listeners.get(join(archive.root, 'Ideas'))
    for (const name of ['.a.md.1-2', 'a.md', 'a.md', 'a.md~']) tell?.(name)
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([30_000, 50])
    timers[1]?.run()
    await followed.stop()
    expect(seen).toEqual([{ domain: 'Ideas', slug: 'a', kind: 'added' }])
  })
})

describe('saving', () => {
  it('creates, stamps, keeps unknown fields and comments, and is deterministic', async () => {
    const { place, file } = await createNote(
      archive,
      { domain: 'People', title: 'Ada', tags: ['a b'] },
      at(1),
    )
    expect(place).toEqual(ada)
    expect(file.text).toBe(
      '---\ntitle: Ada\ntype: person\ntags: [a b]\ncreated: 2026-03-01T10:00:01.000Z\nupdated: 2026-03-01T10:00:01.000Z\n---\n\n# Ada\n',
    )
    const mine = file.text
      .replace('type: person', '# mine\nodd: {x: 1}')
      .replace('# Ada', '<script>')
    const saved = await saveNote(archive, ada, mine, { ifMatch: [file.etag] }, at(2))
    expect(saved.text).toBe(
      mine.replace('updated: 2026-03-01T10:00:01', 'updated: 2026-03-01T10:00:02'),
    )
    expect(await saveNote(archive, ada, saved.text, {}, at(3))).toEqual(saved)
    const { index } = await open()
    expect(describeNote(index, ada, saved)).toMatchObject({ title: 'Ada', problems: [] })
  })

  it('refuses an outdated version, returns the current one, and writes nothing', async () => {
    put('People/ada.md', 'one')
    const first = readNoteFile(archive.root, ada)
    put('People/ada.md', 'by an editor')
    const error = await caught(
      saveNote(archive, ada, 'two', { ifMatch: [first?.etag ?? ''] }, at(1)),
    )
    expect(error).toMatchObject({
      code: 'version_conflict',
      details: { current: { content: 'by an editor' } },
    })
    const absent = await caught(saveNote(archive, ada, 'two', { ifAbsent: true }, at(1)))
    expect(absent?.code).toBe('version_conflict')
    expect(textOf('People/ada.md')).toBe('by an editor')
    expect(listTrash(archive)).toEqual([])
  })

  it('keeps the text that an unconditional save replaced', async () => {
    put('People/ada.md', 'first words')
    await saveNote(archive, ada, 'second words', { ifMatch: ['*'] }, at(1))
    const [trashed] = listTrash(archive)
    expect(trashed).toMatchObject({ slug: 'ada', trashedAt: '2026-03-01T10:00:01.000Z' })
    const current = readNoteFile(archive.root, ada)
    await restoreNote(archive, ada, { ifMatch: [current?.etag ?? ''] }, at(2))
    expect(textOf('People/ada.md')).toBe('first words')
    expect(listTrash(archive)).toHaveLength(1)
  })

  it('of concurrent saves accepts one per version, and loses no text', async () => {
    put('People/ada.md', 'start\n')
    const append = async (line: string): Promise<void> => {
      for (;;) {
        const current = readNoteFile(archive.root, ada)
        const precondition = { ifMatch: [current?.etag ?? ''] }
        const error = await caught(
          saveNote(archive, ada, `${current?.text}${line}\n`, precondition, at(0)),
        )
        if (error === undefined) return
        expect(error.code).toBe('version_conflict')
      }
    }
    const lines = Array.from({ length: 12 }, (_, number) => `line ${number}`)
    await Promise.all(lines.map(append))
    expect(textOf('People/ada.md').trim().split('\n').toSorted()).toEqual(
      ['start', ...lines].toSorted(),
    )
  })

  test.each([
    ['too much', 'x'.repeat(LIMITS.noteBytes + 1), 'payload_too_large'],
    ['nothing', ' \n', 'invalid_input'],
    ['half a character', 'a\ud800', 'invalid_input'],
    ['NUL', 'a\0', 'invalid_input'],
  ])('refuses %s and leaves the note alone', async (_, text, code) => {
    put('People/ada.md', 'mine')
    expect(await caught(saveNote(archive, ada, text, {}, at(1)))).toMatchObject({ code })
    expect(textOf('People/ada.md')).toBe('mine')
    expect(existsSync(join(archive.root, '.trash'))).toBe(false)
  })

  it('refuses a name that only differs in case from an existing one', async () => {
    put('People/Ada.md', 'by hand')
    const error = await caught(createNote(archive, { domain: 'People', title: 'Ada' }, at(1)))
    expect(error?.message).toBe('People/Ada.md already exists')
    expect(readdirSync(join(archive.root, 'People'))).toEqual(['Ada.md'])
  })

  it('killed at any moment leaves the old text or the new', async () => {
    const text = (version: number) => `${version}\n${'x'.repeat(200_000)}\nend ${version}\n`
    put('People/ada.md', text(0))
    const code = `
      import { saveNote } from './write/save-note.ts'
      import { readNoteFile } from './files/read-note-file.ts'
      const archive = ${JSON.stringify(archive)}
      const text = ${text.toString()}
      for (let version = 1; ; version++) {
        const { etag } = readNoteFile(archive.root, ${JSON.stringify(ada)})
        await saveNote(archive, ${JSON.stringify(ada)}, text(version), { ifMatch: [etag] }, () => new Date())
        process.stdout.write('.')
      }`
    for (let round = 0; round < 2; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await once(child, 'exit')
      const found = textOf('People/ada.md')
      expect(found === text(Number(found.split('\n', 1)[0]))).toBe(true)
      await saveNote(archive, ada, text(0), {}, at(round))
    }
  })
})

describe('the trash', () => {
  it('lists removed notes and restores them', async () => {
    put('People/ada.md', '# Ada\n')
    const trashed = await removeNote(archive, ada, {}, at(1))
    expect(trashed).toMatchObject({ title: 'Ada', version: '20260301T100001000Z' })
    expect(existsSync(join(archive.root, 'People/ada.md'))).toBe(false)
    put('People/ada.md', 'another')
    const error = await caught(restoreNote(archive, ada, {}, at(2)))
    expect(error?.code).toBe('already_exists')
    rmSync(join(archive.root, 'People/ada.md'))
    await restoreNote(archive, ada, {}, at(2))
    expect(textOf('People/ada.md')).toBe('# Ada\n')
    for (const version of [undefined, '../../x', '20260301T100001000Z']) {
      const gone = await caught(restoreNote(archive, ada, { version }, at(3)))
      expect(gone?.code).toBe('not_found')
    }
  })
})

describe('renaming', () => {
  it('moves a note; every link still leads where it led', async () => {
    put(
      'Ideas/old.md',
      '---\n# Old title\ntitle: Old title\n---\n# Old title\n[[other]] [o](other.md) [[old]]\n',
    )
    put('Ideas/other.md', 'a [[old]] b [[Old title]] c [x](old.md#h) `[[old]]` [[new-title]]\n')
    put('Ideas/_map.md', '[[Ideas/old|the old]]\n')
    put('People/new-title.md', '# New title, a person\n')
    put('Research/far.md', '---\nrelated: ["[[old]]"]\n---\n')
    const loaded = await open()
    const from = { domain: 'Ideas', slug: 'old' } as const
    const { place, relinked } = await renameNote(
      archive,
      loaded,
      from,
      { title: 'New title' },
      at(1),
    )
    expect(place).toEqual({ domain: 'Ideas', slug: 'new-title' })
    expect(existsSync(join(archive.root, 'Ideas/old.md'))).toBe(false)
    expect(textOf('Ideas/new-title.md')).toBe(
      '---\n# Old title\ntitle: New title\naliases: [old, Old title]\nupdated: 2026-03-01T10:00:01.000Z\n---\n# New title\n[[other]] [o](other.md) [[new-title]]\n',
    )
    // Links to the person of that name still point to the person.
    expect(textOf('Ideas/other.md')).toBe(
      'a [[new-title]] b [[Old title]] c [x](new-title.md#h) `[[old]]` [[People/new-title]]\n',
    )
    expect(textOf('Ideas/_map.md')).toBe('[[Ideas/new-title|the old]]\n')
    expect(textOf('Research/far.md')).toContain('related: ["[[Ideas/new-title]]"]')
    expect(relinked).toHaveLength(3)
    expect(loaded.index.resolve('old', 'People')).toMatchObject({ slug: 'new-title' })

    await renameNote(archive, loaded, place, { domain: 'Research' }, at(2))
    expect(textOf('Research/new-title.md')).toContain('[[other]] [o](../Ideas/other.md)')
    expect(textOf('Ideas/other.md')).toContain(
      'a [[Research/new-title]] b [[Old title]] c [x](../Research/new-title.md#h)',
    )
    expect(loaded.index.resolve('Ideas/new-title', 'People')).toMatchObject({ domain: 'Research' })
  })

  it('refuses a taken name and an empty change', async () => {
    put('Ideas/a.md', 'a')
    put('Ideas/b.md', 'b')
    const loaded = await open()
    const a = { domain: 'Ideas', slug: 'a' } as const
    expect(await caught(renameNote(archive, loaded, a, { slug: 'b' }, at(1)))).toMatchObject({
      status: 409,
    })
    expect(await caught(renameNote(archive, loaded, a, {}, at(1)))).toMatchObject({ status: 400 })
    expect([textOf('Ideas/a.md'), textOf('Ideas/b.md')]).toEqual(['a', 'b'])
  })
})
