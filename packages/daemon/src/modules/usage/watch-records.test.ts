import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchRecords } from './watch-records.ts'

const setUp = () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-watch-'))
  const changed = new Set<string>()
  const watcher = watchRecords((path) => changed.add(path))
  onTestFinished(() => {
    watcher.close()
    rmSync(root, { recursive: true, force: true })
  })
  return { root, changed, watcher }
}

it('reports the files of a folder that did not exist when the watch began', async () => {
  const { root, changed, watcher } = setUp()
  const folder = join(root, '.gemini', 'tmp')
  watcher.await([folder])
  mkdirSync(join(root, '.gemini'))
  await new Promise((resolve) => setImmediate(resolve))
  const chats = join(folder, 'project', 'chats')
  mkdirSync(chats, { recursive: true })
  writeFileSync(join(chats, 'one.jsonl'), '{}')
  await vi.waitFor(() => expect(changed).toContain(join(chats, 'one.jsonl')))
  changed.clear()
  writeFileSync(join(chats, 'two.jsonl'), '{}')
  await vi.waitFor(() => expect(changed).toContain(join(chats, 'two.jsonl')))
})

it('ignores other files beside an awaited folder', async () => {
  const { root, changed, watcher } = setUp()
  const folder = join(root, 'records')
  watcher.await([folder])
  mkdirSync(join(root, 'other'))
  writeFileSync(join(root, 'other', 'file.txt'), '')
  mkdirSync(folder)
  writeFileSync(join(folder, 'one.jsonl'), '{}')
  await vi.waitFor(() => expect(changed).toContain(join(folder, 'one.jsonl')))
  expect([...changed].filter((path) => path.includes('other'))).toEqual([])
})
