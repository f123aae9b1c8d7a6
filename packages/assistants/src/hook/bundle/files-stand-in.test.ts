import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import * as real from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as standIn from './files-stand-in.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ['node:fs/promises', real],
  ['its stand-in', standIn],
])('%s', (_name, files) => {
  it('writes, reads and moves files and folders', async () => {
    const nested = join(folder, 'a', 'b')
    await files.mkdir(nested, { recursive: true })
    const handle = await files.open(join(nested, 'draft'), 'wx', 0o640)
    await handle.writeFile('grüße\n')
    await handle.sync()
    await handle.close()
    await files.rename(join(nested, 'draft'), join(nested, 'file'))
    expect(await files.readdir(nested)).toEqual(['file'])
    expect(await files.readFile(join(nested, 'file'), 'utf8')).toBe('grüße\n')
    expect(Number((await files.stat(join(nested, 'file')))?.mode) & 0o777).toBe(0o640)
    await files.rm(nested, { recursive: true })
    expect(await files.readdir(join(folder, 'a'))).toEqual([])
  })

  it('appends, reads at a place and cuts off', async () => {
    const path = join(folder, 'log')
    const handle = await files.open(path, 'a+', 0o600)
    expect(await handle.write(Buffer.from('one\ntwo\n'))).toMatchObject({ bytesWritten: 8 })
    const part = await handle.read(Buffer.alloc(3), 0, 3, 4)
    expect(part).toMatchObject({ bytesRead: 3, buffer: Buffer.from('two') })
    const first = await handle.read(Buffer.alloc(3), { position: 0 })
    expect(first).toMatchObject({ bytesRead: 3, buffer: Buffer.from('one') })
    expect(Number((await handle.stat())?.size)).toBe(8)
    await handle.truncate(4)
    await handle.close()
    expect(readFileSync(path, 'utf8')).toBe('one\n')
    const again = await files.open(path, 'r')
    expect(await again.readFile('utf8')).toBe('one\n')
    await again.close()
  })

  it('rejects with the code of the system', async () => {
    const missing = join(folder, 'missing')
    await expect(files.readFile(missing)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(files.open(missing, 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(files.open(missing, 0)).rejects.toMatchObject({ code: 'ENOENT' })
    await files.rm(missing, { force: true })
  })
})
