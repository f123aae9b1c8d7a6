import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-knowledge-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const io = memoryIo({
    args: ['knowledge', ...args],
    env: { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH },
    homedir: root,
    cwd: root,
    now: () => Date.UTC(2026, 0, 31),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}
const put = (path: string, text: string) => {
  const file = join(root, 'home/MEMORY', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const found = z.looseObject({ results: z.array(z.looseObject({ slug: z.string() })) })

test('search has the index and the ranking of the wiki', async () => {
  put('KNOWLEDGE/Ideas/lock.md', '---\ntitle: A sluice\n---\nThe zeppelin and the sluice.\n')
  put('KNOWLEDGE/Ideas/linked.md', '---\ntitle: B sluice\n---\nThe zeppelin and the sluice.\n')
  put(
    'KNOWLEDGE/Ideas/far.md',
    'Of [[linked]] and [[linked|again]]; no zeppelin has a sluicegate.\n',
  )
  const slugsOf = async (...words: string[]) =>
    found.parse(JSON.parse((await run('search', ...words, '--json')).out)).results
  const inKnowledge = (await slugsOf('zeppelin', 'sluice')).map(({ slug }) => slug)
  const io = memoryIo({
    args: ['wiki', 'search', 'zeppelin', 'sluice', '--json'],
    env: { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH },
    homedir: root,
    now: () => Date.UTC(2026, 0, 31),
  })
  await runCli(io)
  const inWiki = z
    .object({ results: z.array(z.object({ id: z.string() })) })
    .parse(JSON.parse(io.out.text()))
  expect(inWiki.results.map(({ id }) => id)).toEqual(
    inKnowledge.map((slug) => `knowledge/Ideas/${slug}`),
  )
  // Links count: without them the two would be sorted by name.
  expect(inKnowledge.slice(0, 2)).toEqual(['linked', 'lock'])
  const slip = await run('search', 'zepelin', 'sluice', '--why')
  expect(slip.err).toContain('zepelin not found; searched for zeppelin')
  expect(slip.out).toMatch(
    /^Ideas\/linked {2}B sluice\n {2}The zeppelin and the sluice\.\n.*links/m,
  )
  expect((await run('search', 'xyzzy')).err).toBe('no results\n')
  // A note deleted by hand is no longer found.
  rmSync(join(root, 'home/MEMORY/KNOWLEDGE/Ideas/linked.md'))
  expect((await slugsOf('zeppelin', 'sluice')).map(({ slug }) => slug)).not.toContain('linked')
})

test('the trash is listed, brought back from and emptied; only with --yes for good', async () => {
  put('KNOWLEDGE/Ideas/old.md', 'An old idea.\n')
  put('KNOWLEDGE/Ideas/new.md', 'A new idea.\n')
  put('KNOWLEDGE/.trash/Ideas/gone~20251201T100000000Z.md', '# Gone\n')
  put('KNOWLEDGE/.trash/Ideas/mine.txt', 'not ours')
  expect((await run('remove', 'old')).out).toContain('in the trash')
  const listed = await run('trash')
  expect(listed.out.split('\n').map((line) => line.split(/\s+/)[0])).toEqual([
    'Ideas/old',
    'Ideas/gone',
    '',
  ])
  expect((await run('trash', 'restore', 'Ideas/old')).out).toBe('Ideas/old restored\n')
  await run('remove', 'new')
  const asked = await run('trash', 'empty', '--older-than', '30')
  expect(asked.out).toMatch(/^Ideas\/gone .*\n1 text would be permanently deleted/)
  expect((await run('trash', 'empty', '--older-than', '30', '--yes')).out).toBe(
    'permanently deleted 1 text\n',
  )
  expect((await run('trash', 'list')).out).toMatch(/^Ideas\/new .*\n$/)
  expect((await run('trash', 'empty', '--yes')).out).toBe('permanently deleted 1 text\n')
  expect((await run('trash', 'empty', '--yes')).out).toBe('permanently deleted 0 texts\n')
  expect((await run('trash')).out).toBe('the trash is empty\n')
  expect(readFileSync(join(root, 'home/MEMORY/KNOWLEDGE/.trash/Ideas/mine.txt'), 'utf8')).toBe(
    'not ours',
  )
  expect((await run('trash', 'empty', '--older-than', 'x')).code).toBe(2)
})

test('learn --session reads whatever its specification is called', async () => {
  put('WORK/dates/ISA.md', '---\ntask: Dates\n---\n## Learnings\n\n### Weeks\n\nBegin on Monday.\n')
  put('WORK/tides/PRD.md', '---\ntask: Tides\n---\n## Learnings\n\n### Springs\n\nTwice a month.\n')
  expect((await run('learn', '--session', 'dates')).out).toBe('Ideas/weeks.md: written (Weeks)\n')
  expect((await run('learn', '--session', 'tides')).out).toContain('Ideas/springs.md: written')
  expect((await run('learn', '--session', '../x')).code).toBe(2)
})
