import { type Finding, fine } from '@steward/assistants'
import { type EdgeParts, findEdgeParts } from '@steward/platform'

/** Whether workers can be built and run; the packed program fetches the tools on demand. */
export const checkEdge = (
  installation: string,
  env: Readonly<Record<string, string | undefined>>,
  homedir: string,
  command: string,
): Finding => fine('edge', describe(findEdgeParts(installation, env, homedir), command))

const describe = (parts: EdgeParts | undefined, command: string): string => {
  if (parts === undefined) return 'the tools that build and run workers are in this clone'
  return parts.isInstalled
    ? `the tools that build and run workers are in ${parts.folder}`
    : `workers cannot be built yet; ${command} edge install fetches the tools (about 190 MB)`
}
