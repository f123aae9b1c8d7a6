import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import type { HostPlace } from '../assistant.ts'
import { HOOK_FILE, type HookProgram } from '../registration/hook-program.ts'
import { findDaemonAddress } from './daemon-address.ts'

/** How hooks are started from an installation, without building anything. */
export const describeHookProgram = (
  { env, homedir, project }: HostPlace,
  installation: string,
): HookProgram => {
  const inClone = join(installation, 'packages', 'assistants', 'dist', HOOK_FILE)
  const packed = join(installation, 'hook', HOOK_FILE)
  const isClone = existsSync(join(installation, 'packages', 'assistants'))
  const dataHome = resolveHome(env, homedir)
  const home = dataHome.root
  const isDefault = home === resolveHome({}, homedir).root
  const daemon = findDaemonAddress(dataHome, env)
  return {
    node: process.execPath,
    file: isClone ? inClone : packed,
    ...(isDefault ? {} : { home }),
    ...(daemon === undefined ? {} : { daemon }),
    ...(project === undefined ? {} : { origin: 'project' }),
  }
}

/** The same, with an up-to-date program: a clone builds it from its sources. */
export const prepareHookProgram = (place: HostPlace, installation: string): HookProgram => {
  const program = describeHookProgram(place, installation)
  const script = join(installation, 'scripts', 'build-hook.ts')
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
