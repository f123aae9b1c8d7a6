import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clearEgressFolders, makeEgressFolder } from './egress-folder.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'steward-egress-folders-'))
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

test('removes folders of killed processes, and keeps those in use and foreign ones', async () => {
  const living = basename(await makeEgressFolder(parent))
  const left = join(parent, 'egress-4194305-77-1-abcdef')
  mkdirSync(join(left, 'in'), { recursive: true })
  writeFileSync(join(left, 'in', 'trust.pem'), 'x')
  mkdirSync(join(parent, 'egress-4194305-0-1-abcdef'))
  mkdirSync(join(parent, 'egress-of-a-house'))
  mkdirSync(join(parent, 'elsewhere'))
  symlinkSync(join(parent, 'elsewhere'), join(parent, 'egress-4194305-78-1-abcdef'))
  await clearEgressFolders(parent)
  expect(readdirSync(parent).toSorted()).toEqual(
    [
      living,
      'egress-4194305-0-1-abcdef',
      'egress-4194305-78-1-abcdef',
      'egress-of-a-house',
      'elsewhere',
    ].toSorted(),
  )
})
