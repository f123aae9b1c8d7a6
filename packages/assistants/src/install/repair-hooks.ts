import { type HostName, unwrap } from '@steward/contract'
import { ensureHome, resolveHome } from '@steward/platform'
import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS, hostFile } from '../assistants.ts'
import { prepareHookProgram } from './find-hook-program.ts'
import { applyInstall, backupPath, readIfThere } from './install-record.ts'
import { planInstall } from './plan-change.ts'

/** Registers the hook with one assistant like `steward hooks install`; returns what was done. */
export const repairHooks = async (
  host: HostName,
  place: HostPlace,
  installation: string,
): Promise<string> => {
  const home = resolveHome(place.env, place.homedir)
  unwrap(await ensureHome(home))
  const path = hostFile(host, place)
  const program = prepareHookProgram(place, installation)
  await applyInstall(home, planInstall(host, path, readIfThere(path), program))
  const setup = await ASSISTANTS[host].loadSetup?.()
  const more = await setup?.afterInstall?.(path, place)
  const done = `wrote ${path}; the earlier text is in ${backupPath(home, path)}`
  return more === undefined ? done : `${done}; ${more}`
}
