import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLATFORM_VERSION } from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const place = mkdtempSync(join(tmpdir(), 'steward-upgrade-'))
const prefix = join(place, 'prefix')
const installed = join(prefix, 'lib/node_modules/steward')
const staged = join(PACKED_LAUNCHER, '../..')
/** No network: the package's own Node is left out, because the current Node is suitable. */
const NPM = { npm_config_offline: 'true', npm_config_omit: 'optional' }
const env = { ...NPM, STEWARD_PORT: '0' }
/** Its program still calls itself the current version. */
const NEWER = '99.1.0'
let cli: Cli

const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...NPM },
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}

const ABOUT = 'package.json'

/**
 * A package file of this program that says it has another version, as `npm pack` would make it:
 * with all its files, or just with those given.
 */
const packAs = (version: string, only?: readonly string[]): string => {
  const folder = join(place, version)
  const file = join(folder, 'package', ABOUT)
  if (only === undefined) {
    cpSync(staged, join(folder, 'package'), { recursive: true })
  } else {
    for (const name of only) cpSync(join(staged, name), join(folder, 'package', name))
  }
  const about = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...about, version }))
  run('tar', ['-czf', `../steward-${version}.tgz`, 'package'], folder)
  return join(place, `steward-${version}.tgz`)
}
const versionNow = (): string =>
  JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version

beforeAll(() => {
  run('npm', ['install', '--global', '--prefix', prefix, packAs(PLATFORM_VERSION)], place)
  cli = createCli(join(installed, 'bin/steward.mjs'))
})
afterAll(async () => {
  await cli.run(['service', 'uninstall'], { env })
  cli.remove()
  rmSync(place, { recursive: true, force: true })
})

it('installs a newer version, keeps the data and restarts the daemon', async () => {
  const newer = packAs(NEWER)
  expect((await cli.run(['service', 'install'], { env })).code).toBe(0)
  await cli.run(['knowledge', 'add', 'ideas', 'Keep me'], { env })
  const pidOf = (): number =>
    JSON.parse(readFileSync(join(cli.home, 'state/daemon.json'), 'utf8')).pid
  const before = pidOf()

  const checked = await cli.json(['upgrade', newer, '--check', '--json'], { env })
  expect(checked).toEqual({ from: PLATFORM_VERSION, to: NEWER, newer: true, installed: false })
  const unasked = await cli.run(['upgrade', newer], { env })
  expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining('add --yes')])
  expect(versionNow()).toBe(PLATFORM_VERSION)

  const done = await cli.run(['upgrade', newer, '--yes'], { env })
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toBe(`installed ${NEWER}; the daemon was restarted as ${PLATFORM_VERSION}\n`)
  expect(versionNow()).toBe(NEWER)
  expect(pidOf()).not.toBe(before)
  expect((await cli.run(['knowledge', 'list'], { env })).stdout).toContain('Keep me')
  expect(readFileSync(join(cli.home, 'state/version.json'), 'utf8')).toBe('{\n  "version": 1\n}\n')
})

it('refuses an older version, another package and a clone', async () => {
  const older = packAs('4.9.0', [ABOUT])
  const refused = await cli.run(['upgrade', older, '--yes'], { env })
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`4.9.0 is older than ${PLATFORM_VERSION}; --force installs it`),
  ])
  mkdirSync(join(place, 'package'))
  writeFileSync(join(place, 'package/package.json'), '{"name":"other","version":"9.0.0"}')
  run('tar', ['-czf', 'other.tgz', 'package/package.json'], place)
  const other = await cli.run(['upgrade', join(place, 'other.tgz'), '--yes'], { env })
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining('it is not a package of Steward'),
  ])
  const clone = createCli()
  const { code, stderr } = await clone.run(['upgrade', older, '--yes'])
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('git pull')])
  clone.remove()
})
