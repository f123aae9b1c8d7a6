import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findToolchain } from './find-toolchain.ts'

const NAME = 'steward-test-compiler'
let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-toolchain-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const put = (path: string, text = '#!/bin/sh\n'): string => {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}
const find = (folder: string) => findToolchain(NAME, join(home, folder), home)
const NOTHING = { binds: [], path: [] }

describe('where a compiler lies', () => {
  it('is shown as a whole, and nothing beside it', async () => {
    const real = put(`sdk/one/bin/${NAME}`)
    mkdirSync(join(home, 'bin'))
    symlinkSync(real, join(home, 'bin', NAME))
    const root = join(home, 'sdk/one')
    const shown = { binds: [{ host: root, inside: root, mode: 'ro' }], path: [`${root}/bin`] }
    expect(await find('sdk/one/bin')).toEqual(shown)
    expect(await find('bin')).toEqual(shown)
  })

  it('is what rustup says, where that stands in its place', async () => {
    const real = put(`toolchains/stable/bin/${NAME}`)
    put('cargo/bin/rustup', `#!/bin/sh\n[ "$*" = "which ${NAME}" ] && echo ${real}\n`)
    symlinkSync('rustup', join(home, 'cargo/bin', NAME))
    expect((await find('cargo/bin')).path).toEqual([dirname(real)])
  })

  it('is nowhere where rustup is installed without a toolchain', async () => {
    put('cargo/bin/rustup', '#!/bin/sh\necho "no default toolchain" >&2\nexit 1\n')
    symlinkSync('rustup', join(home, 'cargo/bin', NAME))
    expect(await find('cargo/bin')).toEqual(NOTHING)
  })

  it('is not shown when that would show a whole home', async () => {
    put(`bin/${NAME}`)
    put(`elsewhere/${NAME}`)
    expect(await find('bin')).toEqual(NOTHING)
    expect(await find('elsewhere')).toEqual(NOTHING)
    expect(await find('nowhere')).toEqual(NOTHING)
  })

  it('needs no showing where it belongs to the system', async () => {
    expect(await findToolchain('sh', join(home, 'bin'), home)).toEqual(NOTHING)
  })
})
