import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const launcher = join(import.meta.dirname, '..', 'bin', 'steward.mjs')
const folder = mkdtempSync(join(tmpdir(), 'steward-launcher-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A Node that cannot run TypeScript stands for one that is too old. */
const OLD = ['--no-experimental-strip-types']

const start = (nodeArgs: string[], file: string, ...args: string[]) =>
  spawnSync(process.execPath, [...nodeArgs, file, ...args], {
    encoding: 'utf8',
    env: { ...process.env, STEWARD_HOME: folder },
  })

describe('the launcher', () => {
  it('runs the program where Node can', () => {
    expect(start([], launcher, '--version')).toMatchObject({
      status: 0,
      stdout: '5.0.0\n',
      stderr: '',
    })
  })

  it('starts the bundled Node where it cannot, and passes the exit code on', () => {
    expect(start(OLD, launcher, '--version')).toMatchObject({
      status: 0,
      stdout: '5.0.0\n',
      stderr: '',
    })
    expect(start(OLD, launcher, 'rnu')).toMatchObject({ status: 2 })
  })

  it('says what to install where neither fits', () => {
    mkdirSync(join(folder, 'bin'))
    const alone = join(folder, 'bin', 'steward.mjs')
    copyFileSync(launcher, alone)
    const { status, stderr } = start(OLD, alone, '--version')
    expect(status).toBe(5)
    expect(stderr).toMatch(/needs 22\.18 or later/)
    expect(stderr).toMatch(/npm ci/)
  })
})
