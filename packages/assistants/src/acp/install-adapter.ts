import { spawn } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StewardError } from '@steward/contract'
import { findAnyCommand } from '../command/find-any-command.ts'
import type { DriveSpec } from './drive-spec.ts'
import { adapterFolder, findProgram, type ProgramPlace } from './find-program.ts'

export interface InstallPorts extends ProgramPlace {
  signal: AbortSignal
  /** Receives npm's lines. */
  onProgress: (line: string) => void
}

/**
 * Installs the adapter of an assistant into the data home with npm, in its pinned version and without
 * running scripts of packages. It appears in one step, so that an interrupted installation is not
 * taken for a complete one.
 */
export const installAdapter = async (spec: DriveSpec, ports: InstallPorts): Promise<void> => {
  const { program, title } = spec
  if (program.kind !== 'adapter') return
  const npm = findAnyCommand(ports, ['npm'])
  if (npm === undefined) {
    const reason = 'its adapter is installed with npm, which is not on the PATH'
    throw new StewardError('assistant_not_installed', { assistant: title, reason })
  }
  const folder = adapterFolder(ports.home, program)
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  mkdirSync(draft, { mode: 0o700 })
  try {
    await runNpm(npm, draft, `${program.package}@${program.version}`, spec, ports)
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true })
    throw thrown
  }
  findProgram(spec, ports)
}

const runNpm = (
  npm: string,
  folder: string,
  what: string,
  { title }: DriveSpec,
  { env, signal, onProgress }: InstallPorts,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'http']
    const child = spawn(npm, ['install', '--prefix', folder, ...options, what], {
      env: { ...env },
      cwd: folder,
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let last = ''
    const hear = (chunk: Buffer): void => {
      for (const line of String(chunk).split('\n')) {
        if (line.trim() === '') continue
        last = /error/i.test(line) || last === '' ? line.trim() : last
        onProgress(line.trim())
      }
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    const fail = (reason: string): void =>
      reject(new StewardError('assistant_failed', { assistant: `the adapter of ${title}`, reason }))
    child.once('error', (error) => fail(error.message))
    child.once('close', (code) =>
      code === 0 ? resolve() : fail(`npm exited with ${code}: ${last}`),
    )
  })
