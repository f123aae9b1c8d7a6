import { formatTime } from '@steward/platform'
import type { AssistantSetup } from '../assistant.ts'
import type { CheckPorts, Finding } from '../report/finding.ts'
import type { AskedHost } from '../report/host-report.ts'
import { findClaudePlugins } from './plugins.ts'
import { checkPredecessor } from './predecessor-hooks.ts'

/** Older versions do not know all events that are registered. */
const OLDEST = [2, 1, 197] as const
const CHECK = 'hooks claude'

export const claudeSetup: AssistantSetup = {
  inspect: async ({ command }, place) => ({ plugins: await findClaudePlugins(command, place) }),
  findProblems: (host, ports) => [
    ...checkPlugins(host, ports),
    ...checkPredecessor(host),
    ...checkVersion(host),
  ],
}

const checkPlugins = (
  { plugins, state, pluginFired }: AskedHost,
  { command }: CheckPorts,
): Finding[] => {
  const broken = plugins.flatMap(({ id, problem }): Finding[] =>
    problem === null
      ? []
      : [
          {
            check: CHECK,
            status: 'fail',
            message: `plugin ${id}: none of its hooks run: ${problem}`,
            repair: `claude plugin uninstall ${id}; ${command} hooks install --host claude`,
          },
        ],
  )
  const isDouble = state !== 'missing' && (plugins.length > 0 || pluginFired !== null)
  if (!isDouble) return broken
  const fired = pluginFired === null ? '' : `, last fired ${formatTime(pluginFired)}`
  return [
    ...broken,
    {
      check: CHECK,
      status: 'warn',
      message: `the plugin is installed beside the settings${fired}: it leaves every event to them, and costs a process each`,
      repair: `keep one: ${command} hooks uninstall --host claude, or uninstall the plugin`,
    },
  ]
}

const checkVersion = ({ version }: AskedHost): Finding[] => {
  if (version === null || !isOlder(version, OLDEST)) return []
  return [
    {
      check: CHECK,
      status: 'warn',
      message: `${version} is older than ${OLDEST.join('.')}: it may not know all events, and then runs none of a plugin's hooks`,
      repair: 'claude update',
    },
  ]
}

const isOlder = (version: string, than: readonly number[]): boolean => {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10))
  for (const [at, least] of than.entries()) {
    const part = parts[at] ?? 0
    if (part !== least) return part < least
  }
  return false
}
