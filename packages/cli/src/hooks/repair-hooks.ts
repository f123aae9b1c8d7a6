import { type HostPlace, hostFile, planInstall } from '@steward/assistants'
import type { HostName } from '@steward/contract'
import { ensureHome, resolveHome } from '@steward/platform'
import type { Io } from '../io.ts'
import { establishTrust } from './codex-trust.ts'
import { prepareHookProgram } from './find-hook-program.ts'
import { applyInstall, backupPath, readIfThere } from './install-record.ts'

/** Registers the hook with one assistant as `steward hooks install` does; answers with what was done. */
export const repairHooks = async (io: Io, host: HostName, place: HostPlace): Promise<string> => {
  const home = resolveHome(io.env, io.homedir)
  const made = await ensureHome(home)
  if (!made.ok) throw made.error
  const path = hostFile(host, place)
  await applyInstall(
    home,
    planInstall(host, path, readIfThere(path), prepareHookProgram(io, place)),
  )
  if (host === 'codex') await establishTrust(io, path, place)
  return `wrote ${path}; what was there is in ${backupPath(home, path)}`
}
