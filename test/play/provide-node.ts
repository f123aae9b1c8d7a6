import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath, run } from './run-command.ts'

/** The oldest Node that installs Steward, the oldest that runs it, and the one that it brings. */
export const NODES = ['20.20.2', '22.18.0', '24.21.0']

/** Fetches a Node from the registry; returns a folder with `node`, `npm` and `npx` that use it. */
export const provideNode = (folder: string, version: string): string => {
  const place = join(folder, `node-${version}`)
  const bin = join(place, 'bin')
  mkdirSync(bin, { recursive: true })
  const name = `node-${process.platform}-${process.arch}`
  run('npm', ['install', '--prefix', place, '--no-audit', '--no-fund', `${name}@${version}`], {
    cwd: place,
  })
  symlinkSync(join(place, 'node_modules', name, 'bin/node'), join(bin, 'node'))
  // npm is a script that the first node on the PATH runs.
  for (const command of ['npm', 'npx']) symlinkSync(findOnPath(command), join(bin, command))
  return bin
}
