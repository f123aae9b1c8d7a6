import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openDriver } from './open-driver.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-driver-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

test('if bubblewrap does not work, it says what helps: installing it, or --no-isolation', async () => {
  writeFileSync(join(home, 'bwrap'), '#!/bin/sh\necho no rights >&2\nexit 1\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${home}:${process.env.PATH}`)
  await expect(openDriver({ home, driver: 'bubblewrap' })).rejects.toMatchObject({
    code: 'hosted_isolation_missing',
    message: expect.stringContaining('agents cannot be isolated on this machine'),
    remedy: expect.stringMatching(/steward doctor --fix.*steward hosted serve --no-isolation/),
  })
})
