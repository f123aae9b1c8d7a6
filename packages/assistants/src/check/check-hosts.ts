import { HOSTS } from '@steward/contract'
import { formatDuration, formatTime, resolveHome } from '@steward/platform'
import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'
import { askCommand } from '../command/ask-command.ts'
import { describeHookProgram } from '../install/find-hook-program.ts'
import { type CheckPorts, type Finding, fine } from '../report/finding.ts'
import type { AskedHost, HostReport } from '../report/host-report.ts'
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

/** Starts the assistant's command for its version and for what only it knows. */
const askHost = async (report: HostReport, place: HostPlace): Promise<AskedHost> => {
  const { host, command } = report
  const unknown = { ...report, version: null, untrusted: null, plugins: [] }
  if (command === null) return unknown
  const setup = await ASSISTANTS[host].loadSetup?.()
  const [version, known] = await Promise.all([
    askVersion(command, place),
    setup?.inspect?.({ ...report, command }, place),
  ])
  return { ...unknown, ...known, version }
}

const askVersion = async (command: string, place: HostPlace): Promise<string | null> => {
  const { stdout, stderr } = await askCommand(place, command, ['--version'])
  return /\d+\.\d+(?:\.\d+)?[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null
}

/** One finding that sums up the state of an assistant's hooks. */
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
