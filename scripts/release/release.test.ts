import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLATFORM_VERSION } from '@steward/contract'
import { expect, it } from 'vitest'
import { checkVersion, releaseChangelog } from './changelog.ts'
import { setLockVersion, setManifestVersion } from './set-version.ts'

const TEXT = `# Changelog

## Unreleased

### Added

- A thing.

## 5.0.0 (2026-10-01)

- First.
`

it('moves unreleased changes below the version, and gives them as notes', () => {
  const { text, notes } = releaseChangelog(TEXT, '5.1.0', '2026-11-17')
  expect(notes).toBe('# Steward 5.1.0\n\n### Added\n\n- A thing.\n')
  expect(text).toBe(TEXT.replace('### Added', '## 5.1.0 (2026-11-17)\n\n### Added'))
  expect(() => releaseChangelog(text, '5.2.0', '2026-11-17')).toThrow('no unreleased changes')
  expect(() => releaseChangelog(TEXT, '5.0.0', '2026-11-17')).toThrow('5.0.0 already')
  expect(() => releaseChangelog('# x\n', '6.0.0', '2026-11-17')).toThrow('no section')
})

it('accepts later semantic versions only', () => {
  for (const version of ['5.0.1', '5.1.0', '6.0.0', '5.1.0-rc.1']) checkVersion(version, '5.0.0')
  for (const version of ['5.0.0', '4.9.9', '5', 'v5.1.0'])
    expect(() => checkVersion(version, '5.0.0')).toThrow(/not later|not a version/)
})

it('changes our own versions and no other', () => {
  const manifest =
    '{ "version": "5.0.0", "dependencies": { "@steward/http": "5.0.0", "x": "5.0.0" } }'
  expect(setManifestVersion(manifest, '5.0.0', '5.1.0')).toBe(
    '{ "version": "5.1.0", "dependencies": { "@steward/http": "5.1.0", "x": "5.0.0" } }',
  )
  const lock = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
  const changed = setLockVersion(lock, PLATFORM_VERSION, '99.9.9')
  expect(setLockVersion(changed, '99.9.9', PLATFORM_VERSION)).toBe(lock)
  const foreign = (text: string) =>
    Object.entries(JSON.parse(text).packages).filter(([path]) => path.startsWith('node_modules/'))
  expect(foreign(changed)).toEqual(foreign(lock))
  expect(JSON.parse(changed).packages['packages/http'].version).toBe('99.9.9')
})
