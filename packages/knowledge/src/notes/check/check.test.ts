import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadArchive } from '../index/load-archive.ts'
import { applyMendings } from './apply-mendings.ts'
import { checkArchive } from './check-archive.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-check-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (file: string, text: string) => {
  mkdirSync(join(root, file, '..'), { recursive: true })
  writeFileSync(join(root, file), text)
  utimesSync(join(root, file), 1_700_000_000, 1_700_000_000)
}
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const check = async () => {
  const loaded = loadArchive(root)
  await loaded.refresh()
  return checkArchive(root, loaded)
}
const HEAD = 'type: idea\ncreated: 2026-01-01\nupdated: 2026-01-01\n'
const words = Array.from({ length: 60 }, (_, number) => `word${number}`).join(' ')

it('finds problems, lists the fixes, applies them, and removes no text', async () => {
  put('Ideas/a.md', `---\ntitle: A\n${HEAD}---\n[[Ideas/ada]] [[nowhere]] [[adaa]]\n`)
  put('People/ada.md', '# Ada\n')
  put('Ideas/alone.md', `---\ntitle: Alone\n${HEAD}quality: 99\n---\n`)
  put('Ideas/twin.md', `---\ntitle: Alone\n${HEAD}---\n${words} [[a]]\n`)
  put('Research/copy.md', `---\ntitle: Copy\n${HEAD}---\n${words} more [[a]]\n`)
  put('Ideas/My Note.md', `---\ntitle: Mine\n${HEAD}---\n[[a]]\n`)
  put('Ideas/broken.md', '---\ntitle: [\n---\n[[a]]\n')
  const { findings, mendings } = await check()
  const shown = findings.map(
    ({ kind, file, message, fix }) => `${kind} ${file}: ${message} => ${fix}`,
  )
  expect(shown.toSorted()).toEqual([
    'broken-link Ideas/a.md: the link Ideas/ada leads nowhere => link to People/ada',
    'broken-link Ideas/a.md: the link adaa leads nowhere (did you mean ada?) => undefined',
    'broken-link Ideas/a.md: the link nowhere leads nowhere => undefined',
    'duplicate Ideas/twin.md: it has the title of Ideas/alone.md: "Alone" => undefined',
    expect.stringMatching(
      /^duplicate Research\/copy.md: its text is nearly that of Ideas\/twin.md \(9\d %\)/,
    ),
    'file Ideas/My Note.md: its name is not a slug: it should be my-note.md (steward knowledge check --fix) => rename it to Ideas/my-note.md',
    'frontmatter Ideas/alone.md: quality should be a number from 1 to 10 => undefined',
    expect.stringContaining('frontmatter Ideas/broken.md: its frontmatter is not valid YAML (line'),
    'frontmatter People/ada.md: it has no frontmatter => add title, type, created, updated',
    'orphan Ideas/alone.md: no note links to it and it links to none => undefined',
    'orphan People/ada.md: no note links to it and it links to none => undefined',
  ])
  put('Research/copy.md', 'changed since\n')
  const outcomes = await applyMendings({ root, lock: join(root, '..', 'check.lock') }, mendings)
  expect(outcomes.filter(({ fault }) => fault !== undefined)).toEqual([])
  expect(textOf('Ideas/a.md')).toContain('[[People/ada]] [[nowhere]] [[adaa]]')
  expect(textOf('People/ada.md')).toBe(
    '---\ntitle: Ada\ntype: person\ncreated: 2023-11-14T22:13:20.000Z\nupdated: 2023-11-14T22:13:20.000Z\n---\n\n# Ada\n',
  )
  expect(textOf('Ideas/my-note.md')).toContain('aliases: [My Note]')
  expect(readdirSync(join(root, 'Ideas'))).not.toContain('My Note.md')
  expect(textOf('Ideas/broken.md')).toBe('---\ntitle: [\n---\n[[a]]\n')
  const again = await check()
  expect(
    again.findings.filter(({ file, fix }) => fix !== undefined && !file.includes('copy')),
  ).toEqual([])
})

it('leaves a file alone that changed since it was checked', async () => {
  put('Ideas/a.md', 'no frontmatter')
  const { mendings } = await check()
  put('Ideas/a.md', 'changed')
  const [outcome] = await applyMendings({ root, lock: join(root, '..', 'check.lock') }, mendings)
  expect(outcome?.fault).toContain('changed since')
  expect(textOf('Ideas/a.md')).toBe('changed')
})
