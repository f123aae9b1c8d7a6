import { resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { describeHookProgram } from '../hooks/find-hook-program.ts'
import { addHostOptions, type HostFlags, hostsFor, placeFor } from '../hooks/host-flags.ts'
import type { Registration } from '../hooks/host-report.ts'
import { inspectHost } from '../hooks/inspect-host.ts'
import { readFirings } from '../hooks/read-firings.ts'
import { renderHooks } from '../hooks/render-hooks.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { printJson } from '../output/print-json.ts'

export const createHooksStatusCommand = (io: Io): Command =>
  addHostOptions(new Command('status'))
    .description('Which hooks are registered, when each last fired and how long it took.')
    .action(async (flags: HostFlags) => {
      const place = placeFor(io, flags)
      const program = describeHookProgram(io, place)
      const firings = await readFirings(resolveHome(io.env, io.homedir))
      const hosts = hostsFor(io, flags).map((host) =>
        inspectHost(io, host, { place, program, firings: firings.get(host) ?? [] }),
      )
      if (flags.json) return printJson(io.out, { program, hosts })
      for (const { host, file, state, hooks } of hosts) {
        io.out.write(`${host}: ${WORDS[state]} (${cleanText(file)})\n`)
        io.out.write(
          renderHooks(hooks)
            .map((line) => `  ${line}\n`)
            .join(''),
        )
      }
    })

const WORDS: Readonly<Record<Registration, string>> = {
  installed: 'installed',
  other: 'installed, with the program of another installation: run steward hooks install',
  incomplete: 'some events are missing: run steward hooks install',
  outdated: 'installed, but not as it would be today: run steward hooks install',
  missing: 'not installed',
  unreadable: 'its settings cannot be understood',
}
