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

describe('the location of a compiler', () => {
  it('is mounted as a whole, and nothing beside it', async () => {
    const real = put(`sdk/one/bin/${NAME}`)
    mkdirSync(join(home, 'bin'))
    symlinkSync(real, join(home, 'bin', NAME))
    const root = join(home, 'sdk/one')
    const shown = { binds: [{ host: root, inside: root, mode: 'ro' }], path: [`${root}/bin`] }
    expect(await find('sdk/one/bin')).toEqual(shown)
    expect(await find('bin')).toEqual(shown)
  })

  it('is resolved through rustup', async () => {
    const real = put(`toolchains/stable/bin/${NAME}`)
    put('cargo/bin/rustup', `#!/bin/sh\n[ "$*" = "which ${NAME}" ] && echo ${real}\n`)
    symlinkSync('rustup', join(home, 'cargo/bin', NAME))
    expect((await find('cargo/bin')).path).toEqual([dirname(real)])
  })

  it('is unknown if rustup has no toolchain', async () => {
    put('cargo/bin/rustup', '#!/bin/sh\necho "no default toolchain" >&2\nexit 1\n')
    symlinkSync('rustup', join(home, 'cargo/bin', NAME))
    expect(await find('cargo/bin')).toEqual(NOTHING)
  })

  it('is not mounted if that would expose a whole home', async () => {
    put(`bin/${NAME}`)
    put(`elsewhere/${NAME}`)
    expect(await find('bin')).toEqual(NOTHING)
    expect(await find('elsewhere')).toEqual(NOTHING)
    expect(await find('nowhere')).toEqual(NOTHING)
  })

  it('needs no mount if it belongs to the system', async () => {
    expect(await findToolchain('sh', join(home, 'bin'), home)).toEqual(NOTHING)
  })
})
