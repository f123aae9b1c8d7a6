import { mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Program } from '../e2e/play/play.ts'
import { addBrowser } from '../e2e/play/stages.ts'
import { run, USER_PATH } from './run-command.ts'

const root = join(import.meta.dirname, '../..')

export interface Installed {
  program: Program
  seconds: string
}

/** Without the Node that the package brings. */
const RUNS_STEWARD = /^2[24]\./

let tarball: string | undefined

const timed = (install: () => void): string => {
  const startedMs = performance.now()
  install()
  return ((performance.now() - startedMs) / 1000).toFixed(0)
}

const programAt = (folder: string, search: readonly string[]): Program => ({
  install: addBrowser,
  path: [...search, USER_PATH].join(delimiter),
  npm: {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
  },
  caches: join(folder, 'cache'),
})

/**
 * Installs the packed program as `npm install --global` does, with its dependencies. A Node that can
 * run it has to do so without the bundled one.
 */
export const installPacked = (folder: string, bin: string, version: string): Installed => {
  tarball ??= run(process.execPath, ['scripts/pack.ts'], {
    cwd: root,
    path: process.env.PATH ?? '',
  })
  const file = tarball
  mkdirSync(folder, { recursive: true })
  const path = `${bin}${delimiter}${USER_PATH}`
  const args = ['install', '--global', '--prefix', folder, '--no-audit', '--no-fund', file]
  const seconds = timed(() => run('npm', args, { cwd: folder, path }))
  if (RUNS_STEWARD.test(version)) {
    const bundled = `lib/node_modules/steward/node_modules/node-${process.platform}-${process.arch}`
    rmSync(join(folder, bundled), { recursive: true })
  }
  return { seconds, program: programAt(folder, [bin, join(folder, 'bin')]) }
}

/** Clones the last commit and installs its packages, as the README says. */
export const installClone = (folder: string, bin: string): Installed => {
  run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder], { cwd: root })
  const path = `${bin}${delimiter}${USER_PATH}`
  const seconds = timed(() => run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, path }))
  // The clone's own packages come last: among them is the Node that it brings.
  const program = programAt(folder, [bin, join(folder, 'node_modules/.bin')])
  return { seconds, program: { ...program, clone: folder } }
}
