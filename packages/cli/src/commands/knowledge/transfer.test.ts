import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { runCli } from '../../run-cli.ts'
import { memoryIo, memorySink } from '../../testing/memory-io.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-transfer-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, text: string) => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const start = (args: readonly string[], signal = new AbortController().signal) => {
  const io = memoryIo({
    args,
    signal,
    env: { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH },
    homedir: root,
    cwd: root,
    now: () => Date.UTC(2026, 0, 31),
  })
  return { io, ended: runCli(io) }
}
const run = async (...args: string[]) => {
  const { io, ended } = start(args)
  return { code: await ended, out: io.out.text(), err: io.err.text() }
}

test('a vault is imported, found and exported again; a dry run comes first', async () => {
  put('vault/Gardens/Compost heap.md', 'Layers of #compost, see [[Worms]].\n')
  put('vault/Worms.md', 'Red wigglers. ![[worm.png]] and [[Nowhere]]\n')
  put('vault/worm.png', 'png')
  const dry = await run('knowledge', 'import', 'vault', '--dry-run')
  expect(dry.out).toContain('2 notes: 2 would be added')
  expect(dry.out).toContain('Gardens/Compost heap.md → Ideas/compost-heap.md (added)')
  expect(dry.out).toContain('Nothing was written.')
  expect((await run('knowledge', 'list')).out).not.toContain('compost')
  const { out, code } = await run('knowledge', 'import', 'vault')
  expect([code, out]).toEqual([
    0,
    '2 notes: 2 added, 0 updated, 0 unchanged, 0 kept as changed or removed here\n' +
      '1 attachment copied\nProblems (1)\n  Worms.md: its link to Nowhere leads to no file of the folder\n',
  ])
  expect((await run('knowledge', 'search', 'wigglers')).out).toContain('Ideas/worms')
  expect((await run('knowledge', 'list', '--tag', 'gardens')).out).toContain('Compost heap')
  expect((await run('knowledge', 'import', 'vault')).out).toContain('2 unchanged')
  expect((await run('knowledge', 'export', 'out')).out).toBe(
    '2 notes written, 0 unchanged, 1 attachment copied\n',
  )
  expect(readFileSync(join(root, 'out/Gardens/Compost heap.md'), 'utf8')).toContain('[[Worms')
  expect((await run('knowledge', 'import', 'nowhere')).code).toBe(3)
})

test('--watch imports changes until it is stopped', async () => {
  put('vault/a.md', 'First.\n')
  const stop = new AbortController()
  const { io, ended } = start(['knowledge', 'import', 'vault', '--watch'], stop.signal)
  const note = join(root, 'home/MEMORY/KNOWLEDGE/Ideas/a.md')
  await vi.waitFor(() => expect(io.err.text()).toContain('stop with Ctrl+C'), 20_000)
  put('vault/a.md', 'Second.\n')
  put('vault/deep/b.md', 'New.\n')
  await vi.waitFor(() => {
    expect(readFileSync(note, 'utf8')).toContain('Second.')
    expect(io.out.text()).toContain('added deep/b.md → Ideas/b.md')
  }, 20_000)
  stop.abort()
  expect(await ended).toBe(0)
})

test('--watch says what can no longer be imported', async () => {
  put('vault/a.md', 'See [[b]].\n')
  put('vault/b.md', 'Second.\n')
  const stop = new AbortController()
  const { io, ended } = start(['knowledge', 'import', 'vault', '--watch'], stop.signal)
  await vi.waitFor(() => expect(io.err.text()).toContain('stop with Ctrl+C'), 20_000)
  rmSync(join(root, 'vault/b.md'))
  put('vault/c.md', '')
  await vi.waitFor(() => {
    expect(io.out.text()).toContain('not imported: c.md: it is empty\n')
    expect(io.out.text()).toContain('no longer in the folder, kept here: Ideas/b.md\n')
    expect(io.out.text()).toContain('a.md: its link to b leads to no file of the folder\n')
  }, 20_000)
  stop.abort()
  expect(await ended).toBe(0)
})

test('files of a folder in use that cannot be searched are named', async () => {
  put('vault/a.md', 'Found.\n')
  writeFileSync(join(root, 'vault/b.md'), Buffer.from([0x43, 0xe9, 0x0a]))
  const { out } = await run('knowledge', 'use', 'vault')
  expect(out).toContain('1 file cannot be searched (')
  expect(out).toContain(':\n  vault/b.md: it is not UTF-8 text\n')
})

/** With words that no page of the documentation has. */
test('a folder is searched where it is, and no longer', async () => {
  put('vault/Gardens/Compost heap.md', 'Strata of biochar, see [[Worms]].\n')
  put('vault/Worms.md', 'Red axolotls.\n')
  expect((await run('knowledge', 'use', 'vault', '--name', 'garden')).code).toBe(0)
  const found = z.object({ results: z.array(z.object({ id: z.string() })) })
  const search = async (...words: string[]) =>
    found.parse(JSON.parse((await run('wiki', 'search', ...words, '--json')).out)).results
  expect((await search('axolotls')).map(({ id }) => id)).toEqual(['garden/Worms'])
  expect((await search('biochar', 'strata')).map(({ id }) => id)).toEqual([
    'garden/Gardens/Compost heap',
  ])
  put('vault/Worms.md', 'Blue narwhals.\n')
  expect((await search('narwhals')).map(({ id }) => id)).toEqual(['garden/Worms'])
  expect((await run('knowledge', 'use')).out).toMatch(/^garden +\S+vault\n$/)
  expect((await run('knowledge', 'use', 'garden', '--remove')).code).toBe(0)
  expect(await search('narwhals')).toEqual([])
  expect(await run('knowledge', 'use', 'gone')).toMatchObject({
    code: 3,
    err: expect.stringContaining('Check the path'),
  })
})

test('check --fix renames, titles and completes a file in one run', async () => {
  put('home/MEMORY/KNOWLEDGE/Ideas/My Great_Idea.md', 'Text.\n')
  put('home/MEMORY/KNOWLEDGE/Ideas/folder/x.md', 'Text.\n')
  expect((await run('knowledge', 'check')).out).toContain('Ideas/folder: notes in subfolders')
  await run('knowledge', 'check', '--fix')
  const { out } = await run('knowledge', 'check', '--json')
  const { planned } = z.looseObject({ planned: z.array(z.unknown()) }).parse(JSON.parse(out))
  expect(planned).toEqual([])
  expect((await run('knowledge', 'show', 'my-great-idea')).out).toContain('title: My Great Idea')
})

test('a terminal shows progress', async () => {
  put('vault/a.md', 'A.\n')
  const { io } = start([])
  const err = memorySink(true)
  await runCli({ ...io, err, args: ['knowledge', 'import', 'vault'] })
  expect(err.text()).toContain('importing ████████████████████████ 100%')
})
