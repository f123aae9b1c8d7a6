import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { runProgram } from '../run-program.ts'
import { memoryIo } from '../testing/memory-io.ts'

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
  const code = await runProgram(io)
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
  await runProgram(io)
  const inWiki = z
    .object({ results: z.array(z.object({ id: z.string() })) })
    .parse(JSON.parse(io.out.text()))
  expect(inWiki.results.map(({ id }) => id)).toEqual(
    inKnowledge.map((slug) => `knowledge/Ideas/${slug}`),
  )
  // Links count: without them the two would stand in the order of their names.
  expect(inKnowledge.slice(0, 2)).toEqual(['linked', 'lock'])
  const slip = await run('search', 'zepelin', 'sluice', '--why')
  expect(slip.err).toContain('zepelin is nowhere; looked for zeppelin')
  expect(slip.out).toMatch(
    /^Ideas\/linked {2}B sluice\n {2}The zeppelin and the sluice\.\n.*links/m,
  )
  expect((await run('search', 'xyzzy')).err).toBe('nothing has these words\n')
  // What is removed by hand is found no more.
  rmSync(join(root, 'home/MEMORY/KNOWLEDGE/Ideas/linked.md'))
  expect((await slugsOf('zeppelin', 'sluice')).map(({ slug }) => slug)).not.toContain('linked')
})
