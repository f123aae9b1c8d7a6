import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { collectChanges, preparePlace, readDiff, removePlace } from './work-place.ts'

let root = ''
let project = ''
const env = process.env
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-copy-'))
  project = join(root, 'site')
  mkdirSync(join(project, 'node_modules/x'), { recursive: true })
  writeFileSync(join(project, 'node_modules/x/index.js'), 'x')
  writeFileSync(join(project, 'page.html'), '<p>\r\nold\r\n')
  writeFileSync(join(project, '.gitattributes'), '* text eol=lf\n')
  writeFileSync(join(project, 'image.bin'), Buffer.from([0, 1, 2, 255]))
  symlinkSync('page.html', join(project, 'link'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const prepare = (folder = project) =>
  preparePlace(
    { project: folder, prompt: 'Change it', worktree: false, copy: true },
    { home: { root: join(root, 'home') }, id: 'abc123', env },
  )
const collect = (place: Awaited<ReturnType<typeof prepare>>, writable: string[] = []) =>
  collectChanges(place, { subject: 'Change it', writable }, env)

it('copies a folder without git, and writes a patch that changes the original likewise', async () => {
  const place = await prepare()
  expect(place).toMatchObject({ branch: null, copy: true })
  expect(place.folder).toBe(join(root, 'home/copies/change-it-abc123/site'))
  expect(readdirSync(place.folder).toSorted()).toEqual(readdirSync(project).toSorted())
  expect(readlinkSync(join(place.folder, 'link'))).toBe('page.html')
  expect(await collect(place)).toEqual({ diffStat: '', commit: null, patch: null, outside: [] })

  writeFileSync(join(place.folder, 'page.html'), '<p>\r\nnew\r\n')
  writeFileSync(join(place.folder, 'image.bin'), Buffer.from([0, 9, 255]))
  mkdirSync(join(place.folder, 'more'))
  writeFileSync(join(place.folder, 'more/added.txt'), 'added\n')
  writeFileSync(join(place.folder, 'node_modules/x/index.js'), 'installed')
  rmSync(join(place.folder, 'link'))
  const { diffStat, patch } = await collect(place)
  expect(diffStat).toContain('4 files changed')
  expect(diffStat).not.toContain('node_modules')
  expect(readFileSync(join(project, 'page.html'), 'utf8')).toBe('<p>\r\nold\r\n')
  const { diff, truncated } = await readDiff({ ...place, project }, env)
  expect(truncated).toBe(false)
  expect(diff).toBe(readFileSync(patch ?? '', 'utf8'))

  execFileSync('git', ['-C', project, 'apply', patch ?? ''])
  for (const name of ['page.html', 'image.bin', 'more/added.txt']) {
    expect(readFileSync(join(project, name))).toEqual(readFileSync(join(place.folder, name)))
  }
  expect(existsSync(join(project, 'link'))).toBe(false)

  await removePlace(project, place, env)
  expect(readdirSync(join(root, 'home/copies'))).toEqual([])
})

it('leaves what is outside the writable paths out of the patch, and ends with none if all is undone', async () => {
  const place = await prepare()
  writeFileSync(join(place.folder, 'page.html'), 'new')
  mkdirSync(join(place.folder, 'docs'))
  writeFileSync(join(place.folder, 'docs/a.md'), 'a')
  const first = await collect(place, ['docs'])
  expect(first).toMatchObject({ outside: ['page.html'] })
  expect(readFileSync(first.patch ?? '', 'utf8')).not.toContain('page.html')
  rmSync(join(place.folder, 'docs'), { recursive: true })
  writeFileSync(join(place.folder, 'page.html'), '<p>\r\nold\r\n')
  expect(await collect(place, ['docs'])).toMatchObject({ diffStat: '', patch: null })
})

it('copies the files of a repository with its uncommitted changes, not the data of git', async () => {
  execFileSync('git', ['-C', project, 'init', '--quiet'])
  const place = await prepare()
  expect(existsSync(join(place.folder, '.git'))).toBe(false)
  expect(existsSync(join(place.folder, 'page.html'))).toBe(true)
})

it('refuses a folder with the data home, and leaves nothing behind', async () => {
  await expect(prepare(root)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining("it contains Steward's data home"),
  })
  expect(existsSync(join(root, 'home/copies'))).toBe(false)
})
