import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createReadFile } from './read-file.ts'

let folder: string
let root: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-read-'))
  root = join(folder, 'root')
  await mkdir(join(root, 'sub'), { recursive: true })
  await writeFile(join(root, 'sub', 'a.txt'), 'inside é')
  await writeFile(join(folder, 'secret.txt'), 'outside')
  await mkdir(join(folder, 'root-twin'))
  await writeFile(join(folder, 'root-twin', 'b.txt'), 'outside')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const codeOf = async (path: string, roots = [root]) =>
  createReadFile(roots)(path).then(
    () => 'read',
    (error: { code?: string }) => error.code,
  )

describe('createReadFile', () => {
  it('reads files under a root, by absolute or relative path', async () => {
    const readFile = createReadFile([join(folder, 'none'), root])
    expect(await readFile(join(root, 'sub', 'a.txt'))).toBe('inside é')
    expect(await readFile('sub/a.txt')).toBe('inside é')
  })

  it('follows links that stay inside, also when the root is one', async () => {
    await symlink(join(root, 'sub'), join(root, 'link'))
    await symlink(root, join(folder, 'door'))
    expect(await createReadFile([join(folder, 'door')])('link/a.txt')).toBe('inside é')
    expect(await createReadFile([root])(join(folder, 'door', 'sub', 'a.txt'))).toBe('inside é')
  })

  it('never reads files that hold secrets, by any path', async () => {
    await symlink(join(root, 'sub', 'a.txt'), join(root, 'link'))
    const readFile = createReadFile([root], { never: [join(root, 'sub', 'a.txt')] })
    for (const path of ['sub/a.txt', join(root, 'sub', 'a.txt'), 'link']) {
      await expect(readFile(path)).rejects.toMatchObject({ code: 'path_refused' })
    }
  })

  it('refuses every way out', async () => {
    await symlink(join(folder, 'secret.txt'), join(root, 'file-link'))
    await symlink(folder, join(root, 'folder-link'))
    expect(await codeOf(join(folder, 'secret.txt'))).toBe('path_refused')
    expect(await codeOf(join(folder, 'root-twin', 'b.txt'))).toBe('path_refused')
    expect(await codeOf('file-link')).toBe('path_refused')
    expect(await codeOf('folder-link/secret.txt')).toBe('path_refused')
    expect(await codeOf('../secret.txt')).toBe('path_refused')
    expect(await codeOf(`${root}/sub/../../secret.txt`)).toBe('path_refused')
    expect(await codeOf('sub/a.txt\0.png')).toBe('path_refused')
    expect(await codeOf('/etc/passwd')).toBe('path_refused')
    expect(await codeOf('sub/a.txt', [])).toBe('path_refused')
  })

  it('does not reveal what exists outside', async () => {
    expect(await codeOf(join(folder, 'not-there.txt'))).toBe('path_refused')
    expect(await codeOf('not-there.txt')).toBe('not_found')
    expect(await codeOf(join(root, 'sub', 'a.txt', 'deeper'))).toBe('not_found')
  })

  it('refuses folders, pipes and devices without touching them', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await codeOf('sub')).toBe('path_refused')
    expect(await codeOf('pipe')).toBe('path_refused')
    expect(await codeOf('/dev/zero', ['/dev'])).toBe('path_refused')
  })

  it('reads up to the limit', async () => {
    const readFile = createReadFile([root], { maxBytes: 9 })
    expect(await readFile('sub/a.txt')).toBe('inside é')
    await writeFile(join(root, 'big.txt'), '1234567890')
    await expect(readFile('big.txt')).rejects.toMatchObject({
      code: 'payload_too_large',
      message: 'big.txt is 10 bytes; the limit is 9',
    })
  })

  it('reports a binary file', async () => {
    await writeFile(join(root, 'image.png'), Buffer.from([0x89, 0xff, 0xfe]))
    expect(await codeOf('image.png')).toBe('rejected_content')
    expect(await codeOf('')).toBe('invalid_input')
  })

  it('never reads outside, for any path', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      'sub',
      'a.txt',
      'secret.txt',
      '',
      '/',
      '\0',
      '~',
      '%2e%2e',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const text = await createReadFile([root])(parts.join('/')).catch(() => '')
        expect(text).not.toBe('outside')
      }),
    )
  })
})
