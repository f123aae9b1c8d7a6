import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listOutputs, openOutput } from './list-outputs.ts'

let home = ''
let outputs = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'outputs-'))
  outputs = join(home, 'outputs')
  mkdirSync(join(outputs, 'charts'), { recursive: true })
  mkdirSync(join(home, 'outside'))
  writeFileSync(join(home, 'outside/secret.txt'), 'secret')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const write = (path: string, text: string) => {
  writeFileSync(join(outputs, path), text)
  utimesSync(join(outputs, path), 1_800_000_000, 1_800_000_000)
}

describe('listOutputs', () => {
  it('finds files with size and time, at every depth, and follows no link', async () => {
    write('report.md', 'hello')
    write('charts/a.svg', '<svg/>')
    symlinkSync(join(home, 'outside/secret.txt'), join(outputs, 'link.txt'))
    symlinkSync(join(home, 'outside'), join(outputs, 'folder'))
    expect(await listOutputs(outputs)).toEqual([
      { path: 'charts/a.svg', sizeBytes: 6, modifiedAtMs: 1_800_000_000_000 },
      { path: 'report.md', sizeBytes: 5, modifiedAtMs: 1_800_000_000_000 },
    ])
  })

  it('is empty without a folder', async () => {
    expect(await listOutputs(join(home, 'nowhere'))).toEqual([])
  })
})

describe('openOutput', () => {
  it('opens a file', async () => {
    write('charts/a.svg', '<svg/>')
    const file = await openOutput(outputs, 'charts/a.svg')
    expect(await file.readFile('utf8')).toBe('<svg/>')
    await file.close()
  })

  it.each(['link.txt', 'folder/secret.txt', '../outside/secret.txt', 'charts', 'missing', ''])(
    'refuses %j',
    async (path) => {
      symlinkSync(join(home, 'outside/secret.txt'), join(outputs, 'link.txt'))
      symlinkSync(join(home, 'outside'), join(outputs, 'folder'))
      await expect(openOutput(outputs, path)).rejects.toThrow(/path refused/)
    },
  )

  it('refuses a folder that was replaced by a link', async () => {
    write('charts/secret.txt', 'mine')
    renameSync(join(outputs, 'charts'), join(outputs, 'moved'))
    symlinkSync(join(home, 'outside'), join(outputs, 'charts'))
    await expect(openOutput(outputs, 'charts/secret.txt')).rejects.toThrow(
      'its path contains a link',
    )
  })
})
