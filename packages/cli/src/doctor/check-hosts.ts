import { HOSTS } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { type AskedHost, askHost } from '../hooks/ask-host.ts'
import { describeHookProgram } from '../hooks/find-hook-program.ts'
import { inspectHost } from '../hooks/inspect-host.ts'
import { readFirings } from '../hooks/read-firings.ts'
import { renderHooks } from '../hooks/render-hooks.ts'
import type { Io } from '../io.ts'
import { formatDuration, formatTime } from '../output/format.ts'
import { findHostProblems } from './find-host-problems.ts'
import { type Finding, fine } from './finding.ts'

/** Each assistant: its version, its hooks and how they do, then what is wrong with them. */
export const checkHosts = async (io: Io): Promise<Finding[]> => {
  const place = { env: io.env, homedir: io.homedir }
  const program = describeHookProgram(io, place)
  const firings = await readFirings(resolveHome(io.env, io.homedir))
  const reports = HOSTS.map((host) =>
    inspectHost(io, host, { place, program, firings: firings.get(host) ?? [] }),
  )
  const here = reports.filter(({ found }) => found)
  const asked = await Promise.all(here.map((report) => askHost(io, report, place)))
  const absent = reports.flatMap(({ host, found }) => (found ? [] : [host]))
  return [
    ...asked.flatMap((host) => [describeHost(host), ...findHostProblems(io, host, place)]),
    ...(absent.length === 0 ? [] : [fine('assistants', `not here: ${absent.join(', ')}`)]),
  ]
}

export const describeHost = (host: AskedHost): Finding => {
  const registered = host.hooks.filter((hook) => hook.registered).length
  const last = host.hooks
    .flatMap(({ lastFiring }) => lastFiring ?? [])
    .toSorted()
    .at(-1)
  const said = [
    host.version ?? (host.command === null ? 'its command is not on the PATH' : 'version unknown'),
    `${registered} of ${host.hooks.length} hooks registered`,
    ...(host.foreign === 0 ? [] : [`${host.foreign} of others beside them`]),
    ...(last === undefined ? ['nothing heard of yet'] : [`last heard of ${formatTime(last)}`]),
    ...(host.addedMs === null
      ? []
      : [`adds ${formatDuration(host.addedMs)} where it is waited for`]),
  ]
  return {
    ...fine(`hooks ${host.host}`, said.join('; ')),
    ...(registered === 0 ? {} : { details: renderHooks(host.hooks) }),
    host,
  }
}
