import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HOOK_FILE, type HookProgram, type HostPlace } from '@steward/assistants'
import { StewardError } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import type { Io } from '../io.ts'
import { findInstallation } from '../setup/installation.ts'
import { findDaemonAddress } from './daemon-address.ts'

/** How hooks are started from this installation; without building anything. */
export const describeHookProgram = (io: Io, { project }: HostPlace): HookProgram => {
  const { root } = findInstallation()
  const inClone = join(root, 'packages', 'hosts', 'dist', HOOK_FILE)
  const packed = join(root, 'hook', HOOK_FILE)
  const isClone = existsSync(join(root, 'packages', 'hosts'))
  const dataHome = resolveHome(io.env, io.homedir)
  const home = dataHome.root
  const isDefault = home === resolveHome({}, io.homedir).root
  const daemon = findDaemonAddress(dataHome, io.env)
  return {
    node: process.execPath,
    file: isClone ? inClone : packed,
    ...(isDefault ? {} : { home }),
    ...(daemon === undefined ? {} : { daemon }),
    ...(project === undefined ? {} : { origin: 'project' }),
  }
}

/** The same, with the program there and of today: a clone builds it from its sources. */
export const prepareHookProgram = (io: Io, place: HostPlace): HookProgram => {
  const program = describeHookProgram(io, place)
  const script = join(findInstallation().root, 'scripts', 'build-hook.ts')
  if (existsSync(script)) {
    const built = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    if (built.status !== 0) {
      const reason = `the hook program cannot be built: ${built.stderr.trim().slice(0, 2000)}`
      throw new StewardError('internal', { reason })
    }
  }
  if (existsSync(program.file)) return program
  throw new StewardError('not_found', { what: 'hook program', name: program.file })
}
