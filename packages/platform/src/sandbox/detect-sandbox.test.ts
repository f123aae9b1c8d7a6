import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { detectSandbox } from './detect-sandbox.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-detect-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const installBwrap = async (script: string) => {
  await writeFile(join(folder, 'bwrap'), `#!/bin/sh\n${script}`)
  await chmod(join(folder, 'bwrap'), 0o755)
}

describe('detectSandbox', () => {
  it('names systems without a sandbox', async () => {
    const result = await detectSandbox({ platform: 'win32' })
    expect(result).toMatchObject({ ok: false, error: { code: 'sandbox_unavailable' } })
    if (!result.ok) expect(result.error.message).toContain('win32')
  })

  it.runIf(process.platform === 'linux')('finds the real one, which works', async () => {
    const result = await detectSandbox()
    if (!result.ok) throw result.error
    expect(result.value.isolation).toBe('bubblewrap')
    const outcome = await result.value.run(['/bin/echo', 'hi'], {
      cwd: folder,
      env: {},
      timeoutMs: 60_000,
      network: false,
      maxOutputBytes: 100,
    })
    expect(outcome).toMatchObject({ stdout: 'hi\n', code: 0 })
  })

  it.runIf(process.platform === 'linux')('does not trust an installed one that fails', async () => {
    await installBwrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')
    const result = await detectSandbox({ path: folder })
    expect(result).toMatchObject({ ok: false, error: { code: 'sandbox_unavailable' } })
    if (!result.ok) expect(result.error.message).toContain('setting up uid map')
  })

  it.runIf(process.platform !== 'darwin')('misses the one of macOS elsewhere', async () => {
    expect(await detectSandbox({ platform: 'darwin' })).toMatchObject({
      ok: false,
      error: { code: 'sandbox_unavailable' },
    })
  })
})
