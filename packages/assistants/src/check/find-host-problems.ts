import { formatTime } from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import { repairHooks } from '../install/repair-hooks.ts'
import type { CheckPorts, Finding } from '../report/finding.ts'
import type { AskedHost, Registration } from '../report/host-report.ts'

/** The problems of an assistant's hooks, each with its repair. */
export const findHostProblems = async (host: AskedHost, ports: CheckPorts): Promise<Finding[]> => {
  const setup = await ASSISTANTS[host.host].loadSetup?.()
  return [
    ...checkRegistration(host, ports),
    ...(setup?.findProblems?.(host, ports) ?? []),
    ...checkErrors(host),
  ]
}

const MESSAGES: Readonly<Record<Exclude<Registration, 'installed'>, string>> = {
  missing: 'not registered: Steward does not see its activity',
  other: 'registered with the program of another installation',
  incomplete: 'some events are not registered',
  outdated: 'registered in an outdated form',
  unreadable: 'its settings cannot be parsed, so nothing is registered or repaired',
}

const checkRegistration = (
  { host, file, state, plugins }: AskedHost,
  { env, homedir, command, installation }: CheckPorts,
): Finding[] => {
  if (state === 'installed' || (state === 'missing' && plugins.length > 0)) return []
  const finding: Finding = {
    check: `hooks ${host}`,
    status: state === 'unreadable' ? 'fail' : 'warn',
    message: `${MESSAGES[state]} (${file})`,
    repair: `correct ${file}`,
  }
  if (state === 'unreadable') return [finding]
  return [
    {
      ...finding,
      repair: `${command} hooks install --host ${host}`,
      change: `Steward's hooks will be written into ${file}. Your own entries stay, and a copy of the current file is kept.`,
      fix: () => repairHooks(host, { env, homedir }, installation),
      ...(state === 'missing' ? { asksFirst: true as const } : {}),
    },
  ]
}

const checkErrors = ({ host, errors }: AskedHost): Finding[] => {
  const last = errors.at(-1)
  if (last === undefined) return []
  const { timestamp, event, message } = last
  return [
    {
      check: `hooks ${host}`,
      status: 'warn',
      message: `${errors.length} errors in the last firings; ${event} at ${formatTime(timestamp)}: ${message}`,
    },
  ]
}
