import type { HostPlace } from '@steward/assistants'
import type { AskedHost } from '../hooks/ask-host.ts'
import { establishTrust } from '../hooks/codex-trust.ts'
import type { Registration } from '../hooks/host-report.ts'
import { repairHooks } from '../hooks/repair-hooks.ts'
import type { Io } from '../io.ts'
import { formatTime } from '../output/format.ts'
import { COMMAND } from '../setup/command-name.ts'
import type { Finding } from './finding.ts'

/** Older versions of Claude Code do not know all events that are registered. */
const OLDEST_CLAUDE = [2, 1, 197] as const

/** What is wrong with an assistant's hooks, each with its repair. */
export const findHostProblems = (io: Io, host: AskedHost, place: HostPlace): Finding[] => [
  ...checkRegistration(io, host, place),
  ...checkTrust(io, host, place),
  ...checkPlugins(host),
  ...checkVersion(host),
  ...checkErrors(host),
]

const MESSAGES: Readonly<Record<Exclude<Registration, 'installed'>, string>> = {
  missing: 'not registered: Steward does not see what it does',
  other: 'registered with the program of another installation',
  incomplete: 'some events are not registered',
  outdated: 'registered, but not as it would be today',
  unreadable: 'its settings cannot be understood, so nothing is registered or repaired',
}

const checkRegistration = (io: Io, { host, file, state, plugins }: AskedHost, place: HostPlace) => {
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
      repair: `${COMMAND} hooks install --host ${host}`,
      change: `Steward's hooks will be written into ${file}. Your own entries stay, and a copy of the file as it is now is kept.`,
      fix: () => repairHooks(io, host, place),
      ...(state === 'missing' ? { asksFirst: true as const } : {}),
    },
  ]
}

const checkTrust = (io: Io, host: AskedHost, place: HostPlace): Finding[] => {
  if (host.untrusted === null || host.untrusted.length === 0) return []
  return [
    {
      check: `hooks ${host.host}`,
      status: 'fail',
      message: `${host.untrusted.length} hooks are not trusted: it skips them and says nothing`,
      repair: `${COMMAND} hooks install --host codex, or accept them in codex with /hooks`,
      change:
        "Codex's config.toml will say that Steward's hooks are trusted in the form they have now.",
      fix: async () => {
        await establishTrust(io, host.file, place)
        return 'asked for trust'
      },
    },
  ]
}

const checkPlugins = ({ host, plugins, state, pluginFired }: AskedHost): Finding[] => {
  const broken = plugins.flatMap(({ id, problem }): Finding[] =>
    problem === null
      ? []
      : [
          {
            check: `hooks ${host}`,
            status: 'fail',
            message: `plugin ${id}: none of its hooks run: ${problem}`,
            repair: `claude plugin uninstall ${id}; ${COMMAND} hooks install --host claude`,
          },
        ],
  )
  const isDouble = state !== 'missing' && (plugins.length > 0 || pluginFired !== null)
  if (!isDouble) return broken
  const fired = pluginFired === null ? '' : `, last fired ${formatTime(pluginFired)}`
  return [
    ...broken,
    {
      check: `hooks ${host}`,
      status: 'warn',
      message: `the plugin is there beside the settings${fired}: it leaves every event to them, and costs a process each`,
      repair: `keep one: ${COMMAND} hooks uninstall --host claude, or take the plugin away`,
    },
  ]
}

const checkVersion = ({ host, version }: AskedHost): Finding[] => {
  if (host !== 'claude' || version === null || !isOlder(version, OLDEST_CLAUDE)) return []
  return [
    {
      check: `hooks ${host}`,
      status: 'warn',
      message: `${version} is older than ${OLDEST_CLAUDE.join('.')}: it may not know all events, and then runs none of a plugin's hooks`,
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
