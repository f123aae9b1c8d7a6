import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkHome } from './check-home.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'check-home-'))
})
afterEach(() => rmSync(root, { recursive: true }))

it('warns about a data home that other users can open, and closes it on request', async () => {
  chmodSync(root, 0o755)
  const finding = await checkHome(resolveHome({ STEWARD_HOME: root }))
  expect(finding.status).toBe('warn')
  expect(finding.message).toContain('other users')
  if (!('fix' in finding)) throw new Error('there is no fix')
  await finding.fix?.()
  expect(statSync(root).mode & 0o777).toBe(0o700)
  expect(await checkHome(resolveHome({ STEWARD_HOME: root }))).toMatchObject({ status: 'ok' })
})
