import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveHome } from '@steward/platform'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkPolicy } from './check-policy.ts'

describe('checkPolicy', () => {
  it('reports a missing and a broken file with a remedy', () => {
    const root = mkdtempSync(join(tmpdir(), 'steward-check-policy-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const home = resolveHome({ STEWARD_HOME: root })
    const file = join(home.user.security, 'PATTERNS.yaml')
    expect(checkPolicy(home, root, 'steward')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/missing: the built-in policy.*security add/),
    })
    mkdirSync(home.user.security, { recursive: true })
    writeFileSync(file, 'bash: {blocked: [')
    expect(checkPolicy(home, root, 'steward')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('built-in policy is used'),
      repair: expect.stringContaining(file),
    })
    writeFileSync(file, 'bash:\n  blocked:\n    - { pattern: "^frob", reason: no }\n')
    expect(checkPolicy(home, root, 'steward')).toMatchObject({ status: 'ok' })
  })
})
