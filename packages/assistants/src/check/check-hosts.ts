import { HOSTS } from '@steward/contract'
import { formatDuration, formatTime, resolveHome } from '@steward/platform'
import { describeHookProgram } from '../install/find-hook-program.ts'
import { type CheckPorts, type Finding, fine } from '../report/finding.ts'
import type { AskedHost } from '../report/host-report.ts'
import { askHost } from './ask-host.ts'
import { findHostProblems } from './find-host-problems.ts'
import { inspectHost } from './inspect-host.ts'
import { readFirings } from './read-firings.ts'

/** Each assistant: its version and the state of its hooks, then their problems. */
export const checkHosts = async (ports: CheckPorts): Promise<Finding[]> => {
  const { env, homedir, installation } = ports
  const place = { env, homedir }
  const program = describeHookProgram(place, installation)
  const firings = await readFirings(resolveHome(env, homedir))
  const reports = HOSTS.map((host) =>
    inspectHost(host, { place, program, firings: firings.get(host) ?? [] }),
  )
  const here = reports.filter(({ found }) => found)
  const found = await Promise.all(
    here.map(async (report) => {
      const host = await askHost(report, place)
      return [describeHost(host), ...(await findHostProblems(host, ports))]
    }),
  )
  const absent = reports.flatMap((report) => (report.found ? [] : [report.host]))
  return [
    ...found.flat(),
    ...(absent.length === 0 ? [] : [fine('assistants', `not here: ${absent.join(', ')}`)]),
  ]
}

export const describeHost = (host: AskedHost): Finding => {
  const registered = host.hooks.filter((hook) => hook.registered).length
  const last = host.hooks
    .flatMap(({ lastFiring }) => lastFiring ?? [])
    .toSorted()
    .at(-1)
  const parts = [
    host.version ?? (host.command === null ? 'its command is not on the PATH' : 'version unknown'),
    `${registered} of ${host.hooks.length} hooks registered`,
    ...(host.foreign === 0 ? [] : [`${host.foreign} of other programs`]),
    last === undefined ? 'never fired' : `last fired ${formatTime(last)}`,
    ...(host.addedMs === null ? [] : [`adds ${formatDuration(host.addedMs)} per waited hook`]),
  ]
  return { ...fine(`hooks ${host.host}`, parts.join('; ')), host }
}
