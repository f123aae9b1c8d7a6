import { syncSpecificationFile } from '@steward/platform'
import type { HookPorts } from './hook-ports.ts'

/** Updates `work.json` from specifications that a session wrote; returns whether it changed. */
export const syncSpecifications = async (
  files: readonly string[],
  sessionUUID: string,
  ports: HookPorts,
): Promise<boolean> => {
  let written = false
  for (const file of files) {
    const synced = await syncSpecificationFile(ports.home, { file, sessionUUID }, ports)
    if (!synced.ok) {
      ports.report(synced.error.message)
      continue
    }
    if (synced.value?.written === true) written = true
    for (const problem of synced.value?.outcome.problems ?? []) ports.report(`${file}: ${problem}`)
  }
  return written
}
