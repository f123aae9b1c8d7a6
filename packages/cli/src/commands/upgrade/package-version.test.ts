import { expect, it } from 'vitest'
import { compareVersions, readPackageVersion } from './package-version.ts'

it.each([
  ['5.0.1', '5.0.0'],
  ['5.10.0', '5.9.9'],
  ['6.0.0', '6.0.0-rc.1'],
  ['6.0.0-rc.2', '6.0.0-rc.1'],
])('%s comes after %s', (later, earlier) => {
  expect(compareVersions(later, earlier)).toBeGreaterThan(0)
  expect(compareVersions(earlier, later)).toBeLessThan(0)
  expect(compareVersions(later, later)).toBe(0)
})

const answering = (about: object) => async () => ({ stdout: JSON.stringify(about) })

it('accepts a package with our command only', async () => {
  const ours = { name: 'steward', version: '5.1.0', bin: { steward: 'bin/steward.mjs' } }
  expect(await readPackageVersion({ spec: 'steward@5.1.0' }, answering(ours))).toBe('5.1.0')
  await expect(
    readPackageVersion({ file: 'other.tgz' }, answering({ ...ours, bin: { other: 'x' } })),
  ).rejects.toThrow('not a package of Steward')
})
