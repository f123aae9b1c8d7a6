import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveHome } from '@steward/platform'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeVariable, withVariable } from './store-variable.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-deploy-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('withVariable', () => {
  it('replaces the effective line and leaves every other byte', () => {
    const text = '# keys\nAUTH_TOKEN=old\r\nexport AUTH_TOKEN = newer\nMY_AUTH_TOKEN=x'
    expect(withVariable(text, 'AUTH_TOKEN', 'n')).toBe(
      '# keys\nAUTH_TOKEN=old\r\nAUTH_TOKEN=n\nMY_AUTH_TOKEN=x',
    )
    expect(withVariable('A=1', 'B', '2')).toBe('A=1\nB=2\n')
    expect(withVariable('', 'B', '2')).toBe('B=2\n')
  })

  it('has the value afterwards, whatever the text was', () => {
    const line = fc.constantFrom('AUTH_TOKEN=1', 'export AUTH_TOKEN=2', '# x', '', 'OTHER=3')
    fc.assert(
      fc.property(fc.array(line), fc.stringMatching(/^[0-9a-f]{8}$/), (lines, value) => {
        const text = withVariable(lines.join('\n'), 'AUTH_TOKEN', value)
        const last = text.split('\n').findLast((each) => /^(export )?AUTH_TOKEN=/.test(each))
        expect(last).toBe(`AUTH_TOKEN=${value}`)
      }),
    )
  })
})

it('stores a variable in a file that only its owner can read', async () => {
  const home = resolveHome({ STEWARD_HOME: folder })
  await writeFile(home.envFile, 'A=1\n', { mode: 0o644 })
  await storeVariable(home, 'AUTH_TOKEN', 'abc')
  expect(await readFile(home.envFile, 'utf8')).toBe('A=1\nAUTH_TOKEN=abc\n')
  expect((await stat(home.envFile)).mode & 0o777).toBe(0o600)
})
