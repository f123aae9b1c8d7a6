import {
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
import { type Delivery, deliveryKey, entryOf } from '@steward/engine'
import type { Confinement } from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDatabaseDelivery } from './database.ts'
import { createFileDelivery } from './file.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-file-'))
  file = join(folder, 'out.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const deliveryOf = (id: string, again = true): Delivery => ({
  flow: { id: 'flow', name: 'F_TEST_FLOW' },
  item: { id, title: null },
  output: { text: 'some text' },
  again,
  now: new Date('2026-05-01T00:00:00Z'),
})
const deliver = (id: string, { path = 'out.jsonl', again = true } = {}) =>
  createFileDelivery({ roots: [folder] }, join(folder, 'locks'))(
    { type: 'file', path },
    deliveryOf(id, again),
  )
const lineOf = (id: string) => JSON.stringify(entryOf(deliveryOf(id), deliveryKey(deliveryOf(id))))
const lines = () => readFileSync(file, 'utf8').split('\n')

it('delivers an item again if a full disk truncated its line, and loses none after it', async () => {
  const torn = lineOf('two').slice(0, -20)
  writeFileSync(file, `${lineOf('one')}\n${torn}`)
  expect(await deliver('two')).not.toHaveProperty('repeated')
  expect(await deliver('three')).not.toHaveProperty('repeated')
  expect(lines()).toEqual([lineOf('one'), torn, lineOf('two'), lineOf('three'), ''])
})

it('does not deliver an item again if its line exists, even without a line break', async () => {
  writeFileSync(file, `${lineOf('one')}\n${lineOf('two')}`)
  expect(await deliver('one')).toMatchObject({ repeated: true })
  expect(await deliver('two')).toMatchObject({ repeated: true })
  await deliver('three')
  expect(lines()).toEqual([lineOf('one'), lineOf('two'), lineOf('three'), ''])
})

it('writes nowhere but in its folders, whatever the path or a planted link says', async () => {
  mkdirSync(join(folder, 'OUTPUT'))
  mkdirSync(join(folder, 'state'))
  symlinkSync(join(folder, 'state'), join(folder, 'OUTPUT', 'planted'))
  const folders: Confinement = { roots: [join(folder, 'OUTPUT')], never: [join(folder, 'state')] }
  for (const path of ['../x.md', join(folder, 'x.md'), 'planted/history.sqlite']) {
    const refused = { code: 'path_refused' }
    const file = createFileDelivery(folders, join(folder, 'locks'))
    await expect(file({ type: 'file', path }, deliveryOf('one'))).rejects.toMatchObject(refused)
    const database = createDatabaseDelivery(join(folder, 'flows.sqlite'), folders)
    await expect(
      database({ type: 'database', table: 'flow_items', path }, deliveryOf('one')),
    ).rejects.toMatchObject(refused)
  }
  expect(readdirSync(folder).toSorted()).toEqual(['OUTPUT', 'state'])
  expect(readdirSync(join(folder, 'state'))).toEqual([])
})

it.each(['out.jsonl', 'out.json', 'out.md'])(
  'does not write an item to %s again when the history that knew of it is lost',
  async (path) => {
    const isFirst = { path, again: false }
    await deliver('one', isFirst)
    await deliver('two', isFirst)
    const before = readFileSync(join(folder, path), 'utf8')
    expect(await deliver('one', isFirst)).toMatchObject({ repeated: true })
    expect(await deliver('two', isFirst)).toMatchObject({ repeated: true })
    expect(readFileSync(join(folder, path), 'utf8')).toBe(before)
  },
)

it('notices lines that others wrote, removed or cut short since it last looked', async () => {
  const isFirst = { again: false }
  await deliver('one', isFirst)
  writeFileSync(file, `${lineOf('one')}\n${lineOf('two')}\n`)
  expect(await deliver('two', isFirst)).toMatchObject({ repeated: true })
  writeFileSync(file, `${lineOf('one')}\n`)
  expect(await deliver('two', isFirst)).not.toHaveProperty('repeated')
  writeFileSync(file, `${lineOf('one').slice(0, -20)}\n`)
  expect(await deliver('one', isFirst)).not.toHaveProperty('repeated')
})
