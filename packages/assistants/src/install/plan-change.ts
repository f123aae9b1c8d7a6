import type { HostName } from '@steward/contract'
import { ASSISTANTS } from '../assistants.ts'
import type { HookProgram } from '../registration/hook-program.ts'

/** The text of a file before and after a change; undefined if the file does not exist. */
export interface PlannedChange {
  host: HostName
  path: string
  before: string | undefined
  after: string | undefined
}

/** How an install would change an assistant's file. Throws when the file does not have the expected form. */
export const planInstall = (
  host: HostName,
  path: string,
  before: string | undefined,
  program: HookProgram,
): PlannedChange => ({
  host,
  path,
  before,
  after: ASSISTANTS[host].format.add(before, program, path),
})

/** How an uninstall would change it: exactly the earlier text, unless someone changed the file meanwhile. */
export const planUninstall = (
  host: HostName,
  path: string,
  now: string | undefined,
  installed: { before: string | undefined; after: string } | undefined,
): PlannedChange => {
  const plan = (after: string | undefined) => ({ host, path, before: now, after })
  if (now === undefined) return plan(undefined)
  if (installed !== undefined && installed.after === now) return plan(installed.before)
  return plan(ASSISTANTS[host].format.remove(now, path))
}
