import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findRepositorySkills } from './find-repository-skills.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-repository-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const find = () => findRepositorySkills(root, '/workspace/tools')

test('one line per folder with a SKILL.md below .claude/skills, and nowhere else', async () => {
  expect(await find()).toEqual([])
  write('.claude/skills/audit/SKILL.md', '---\r\ndescription: |\r\n  Checks\r\n  notes.\r\n---\r\n')
  write('.claude/skills/plain/SKILL.md', '# No front matter')
  write('.claude/skills/broken/SKILL.md', '---\ndescription: [\n---\n')
  write('.claude/skills/SKILL.md', '---\ndescription: bare\n---\n')
  write('.claude/skills/a/b/SKILL.md', '---\ndescription: nested\n---\n')
  write('skills/other/SKILL.md', '---\ndescription: elsewhere\n---\n')
  expect(await find()).toEqual([
    '- /workspace/tools/.claude/skills/audit/SKILL.md: Checks notes.',
    '- /workspace/tools/.claude/skills/broken/SKILL.md: broken',
    '- /workspace/tools/.claude/skills/plain/SKILL.md: plain',
  ])
})

test('at most 64, with at most 2000 characters each', async () => {
  const text = `---\ndescription: ${'x'.repeat(3000)}\n---\n`
  for (let at = 100; at < 170; at += 1) write(`.claude/skills/s${at}/SKILL.md`, text)
  const found = await find()
  expect(found).toHaveLength(64)
  expect(found[0]).toBe(`- /workspace/tools/.claude/skills/s100/SKILL.md: ${'x'.repeat(2000)}`)
})

test('never follows a link of the repository', async () => {
  write('secret.md', '---\ndescription: secret of the machine\n---\n')
  mkdirSync(join(root, '.claude/skills/file'), { recursive: true })
  symlinkSync(join(root, 'secret.md'), join(root, '.claude/skills/file/SKILL.md'))
  mkdirSync(join(root, 'outside'))
  writeFileSync(join(root, 'outside/SKILL.md'), '---\ndescription: outside\n---\n')
  symlinkSync(join(root, 'outside'), join(root, '.claude/skills/folder'))
  expect(await find()).toEqual([])
  rmSync(join(root, '.claude'), { recursive: true })
  mkdirSync(join(root, 'away/skills/x'), { recursive: true })
  writeFileSync(join(root, 'away/skills/x/SKILL.md'), 'x')
  symlinkSync(join(root, 'away'), join(root, '.claude'))
  expect(await find()).toEqual([])
})
