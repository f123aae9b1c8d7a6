import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { HOOK_FILE, type HookProgram } from '@steward/hosts'
import { resolveHome } from '@steward/memory'
import type { Io } from '../io.ts'
import { findInstallation } from '../setup/installation.ts'

/** How hooks are started from this installation; without building anything. */
export const describeHookProgram = (io: Io): HookProgram => {
  const { root } = findInstallation()
  const inClone = join(root, 'packages', 'hosts', 'dist', HOOK_FILE)
  const packed = join(root, 'hook', HOOK_FILE)
  const isClone = existsSync(join(root, 'packages', 'hosts'))
  const home = resolveHome(io.env, io.homedir).root
  const isDefault = home === resolveHome({}, io.homedir).root
  return {
    node: process.execPath,
    file: isClone ? inClone : packed,
    ...(isDefault ? {} : { home }),
  }
}

/** The same, with the program there and of today: a clone builds it from its sources. */
export const prepareHookProgram = (io: Io): HookProgram => {
  const program = describeHookProgram(io)
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
