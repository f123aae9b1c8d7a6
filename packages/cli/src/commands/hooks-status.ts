import { isFields, parseJson } from '@steward/contract'
import { findHooks, HOOK_FILE, HOOK_TABLE, hostFile, planInstall } from '@steward/hosts'
import { resolveHome } from '@steward/memory'
import { Command } from 'commander'
import { describeHookProgram } from '../hooks/find-hook-program.ts'
import { findHostCommand } from '../hooks/find-hosts.ts'
import { addHostOptions, type HostFlags, hostsFor, placeFor } from '../hooks/host-flags.ts'
import { readIfThere } from '../hooks/install-record.ts'
import { readLastFirings } from '../hooks/last-firings.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { printJson } from '../output/print-json.ts'

export const createHooksStatusCommand = (io: Io): Command =>
  addHostOptions(new Command('status'))
    .description('Which hooks are registered, and when each last fired.')
    .action(async (flags: HostFlags) => {
      const program = describeHookProgram(io)
      const place = placeFor(io, flags)
      const lastFiring = await readLastFirings(resolveHome(io.env, io.homedir))
      const hosts = hostsFor(io, flags).map((host) => {
        const file = hostFile(host, place)
        const text = readIfThere(file)
        const registered = new Set(host === 'opencode' ? [] : eventsIn(text))
        const isPlugin = host === 'opencode' && text?.includes(HOOK_FILE) === true
        return {
          host,
          command: findHostCommand(io, host) ?? null,
          file,
          state: stateOf(text, () => planInstall(host, file, text, program).after === text),
          hooks: HOOK_TABLE[host].map(({ event }) => ({
            event,
            registered: isPlugin || registered.has(event),
            lastFiring: lastFiring(host, event) ?? null,
          })),
        }
      })
      if (flags.json) return printJson(io.out, { program, hosts })
      for (const { host, file, state, hooks } of hosts) {
        io.out.write(`${host}: ${WORDS[state]} (${cleanText(file)})\n`)
        for (const { event, registered, lastFiring: last } of hooks) {
          const mark = registered ? '+' : '-'
          io.out.write(`  ${mark} ${event.padEnd(22)} ${last ?? 'not heard of'}\n`)
        }
      }
    })

type State = 'installed' | 'outdated' | 'missing' | 'unreadable'

const WORDS: Readonly<Record<State, string>> = {
  installed: 'installed',
  outdated: 'installed, but not as it would be today: run steward hooks install',
  missing: 'not installed',
  unreadable: 'its settings cannot be understood',
}

const stateOf = (text: string | undefined, isCurrent: () => boolean): State => {
  if (text === undefined || !text.includes(HOOK_FILE)) return 'missing'
  try {
    return isCurrent() ? 'installed' : 'outdated'
  } catch (thrown) {
    if (thrown instanceof Error) return 'unreadable'
    throw thrown
  }
}

const eventsIn = (text: string | undefined): string[] => {
  const parsed = parseJson(text ?? '', 'settings')
  return parsed.ok && isFields(parsed.value) ? findHooks(parsed.value) : []
}
