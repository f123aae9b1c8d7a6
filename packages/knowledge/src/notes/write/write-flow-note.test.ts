import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createNote } from './create-note.ts'
import { writeFlowNote } from './write-flow-note.ts'

const now = () => new Date('2026-03-01T12:00:00Z')
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-notes-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const archive = () => ({ root, lock: join(root, 'lock') })
const write = (key: string, body = 'text') =>
  writeFlowNote(
    archive(),
    {
      key,
      domain: 'Ideas',
      title: 'Ice on Mars',
      body,
      tags: ['space'],
      fields: { source: 'https://example.com' },
    },
    now,
  )
const read = (name: string) => readFileSync(join(root, name), 'utf8')

it('writes a note once, and leaves it to the person afterwards', async () => {
  expect(await write('aaaaaaaa11')).toEqual({ note: 'Ideas/ice-on-mars.md' })
  expect(read('Ideas/ice-on-mars.md')).toContain(
    'source: "https://example.com"\ndelivery: aaaaaaaa11',
  )
  writeFileSync(join(root, 'Ideas/ice-on-mars.md'), `${read('Ideas/ice-on-mars.md')}my words\n`)
  expect(await write('aaaaaaaa11', 'newer')).toEqual({
    note: 'Ideas/ice-on-mars.md',
    repeated: true,
  })
  expect(read('Ideas/ice-on-mars.md')).toMatch(/text\nmy words\n$/)
})

it('takes another name if a person has a note of this one', async () => {
  await createNote(archive(), { domain: 'Ideas', title: 'Ice on Mars', body: 'mine' }, now)
  expect(await write('aaaaaaaa11')).toEqual({ note: 'Ideas/ice-on-mars-aaaaaaaa.md' })
  expect(await write('aaaaaaaa11')).toMatchObject({ repeated: true })
  expect(await write('bbbbbbbb22')).toEqual({ note: 'Ideas/ice-on-mars-bbbbbbbb.md' })
  expect(read('Ideas/ice-on-mars.md')).toContain('mine')
  expect(readdirSync(join(root, 'Ideas'))).toHaveLength(3)
})
