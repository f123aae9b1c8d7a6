import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_PACKAGES, StewardError } from '@steward/contract'
import { DEFAULT_PATH, detectSandbox, findCommand, type Sandbox } from '@steward/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dial } from '../egress/dial.ts'
import { type InstallOptions, installPackages } from './install-packages.ts'

const refuse: Dial = async (host) => {
  throw new StewardError('address_refused', { host, reason: 'it is private' })
}

const { ok: hasNpm } = findCommand('npm', DEFAULT_PATH)

describe.runIf(process.platform === 'linux' && hasNpm)('installing packages', () => {
  let cache = ''
  let sandbox: Sandbox
  beforeAll(async () => {
    cache = mkdtempSync(join(tmpdir(), 'steward-packages-'))
    const found = await detectSandbox()
    if (!found.ok) throw found.error
    sandbox = found.value
  })
  afterAll(() => rmSync(cache, { recursive: true, force: true }))

  const install = (dial: Dial, more: Partial<InstallOptions> = {}) =>
    installPackages(
      { ...NO_PACKAGES, npm: ['is-odd'] },
      {
        ...{ sessionId: 'sesn_1', cache, sandbox, reach: { dial } },
        networking: {
          type: 'limited',
          allowedHosts: [],
          allowPackageManagers: true,
          mcpHosts: [],
        },
        ...more,
      },
    )

  it('says what the egress refused, and nothing of where the server keeps things', async () => {
    const { failures } = await install(refuse)
    expect(failures).toMatchObject([{ manager: 'npm', packages: ['is-odd'] }])
    expect(failures[0]?.reason).toContain('registry.npmjs.org: ')
    expect(failures[0]?.reason).toContain('it is private')
    expect(failures[0]?.reason).not.toContain(cache)
  })

  it('goes on when the session that began is released', async () => {
    const asked = Promise.withResolvers<void>()
    const released = new AbortController()
    const hang: Dial = () => {
      asked.resolve()
      return new Promise(() => undefined)
    }
    const first = install(hang, { signal: released.signal })
    const second = install(refuse, { sessionId: 'sesn_2' })
    await asked.promise
    released.abort(new Error('released'))
    await expect(first).rejects.toThrow('released')
    expect((await second).failures).toHaveLength(1)
  })
})
