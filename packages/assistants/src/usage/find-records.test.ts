import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findRecords, recordsAt } from './find-records.ts'

let homedir: string
beforeEach(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-records-'))
})
afterEach(() => rmSync(homedir, { recursive: true, force: true }))

it('follows symbolic links, reads each folder once, and survives loops and broken ones', async () => {
  const elsewhere = join(homedir, 'disk/projects/shop')
  mkdirSync(elsewhere, { recursive: true })
  writeFileSync(join(elsewhere, 's1.jsonl'), '')
  writeFileSync(join(homedir, 'disk/s2.jsonl'), '')
  mkdirSync(join(homedir, '.claude'))
  const projects = join(homedir, '.claude/projects')
  symlinkSync(join(homedir, 'disk/projects'), projects)
  symlinkSync(elsewhere, join(homedir, 'disk/projects/again'))
  symlinkSync(join(homedir, 'disk/projects'), join(elsewhere, 'loop'))
  symlinkSync(join(homedir, 'disk/s2.jsonl'), join(elsewhere, 's2.jsonl'))
  symlinkSync(join(homedir, 'nowhere.jsonl'), join(elsewhere, 'broken.jsonl'))
  const { records, problems } = await findRecords({ env: {}, homedir })
  expect(problems).toEqual([])
  const names = records.map(({ source }) => source.path.split('/').at(-1))
  expect(names.toSorted()).toEqual(['s1.jsonl', 's2.jsonl'])
})

it('finds the record of a changed file, and none of a file that is not a record', async () => {
  const folder = join(homedir, '.claude/projects/shop')
  mkdirSync(folder, { recursive: true })
  const paths = ['s1.jsonl', 'notes.txt', 'gone.jsonl'].map((name) => join(folder, name))
  for (const path of paths.slice(0, 2)) writeFileSync(path, '')
  const records = await recordsAt(paths, { env: {}, homedir })
  expect(records.map(({ assistant, source }) => [assistant, source.path])).toEqual([
    ['claude', paths[0]],
  ])
})
