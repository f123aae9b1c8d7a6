import {
  describeHookProgram,
  inspectHost,
  type Registration,
  readFirings,
} from '@steward/assistants'
import { resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { findInstallation } from '../../setup/installation.ts'
import { addHostOptions, type HostFlags, hostsFor, placeFor } from './host-flags.ts'
import { renderHooks } from './render-hooks.ts'

export const createHooksStatusCommand = (io: Io): Command =>
  addHostOptions(new Command('status'))
    .description('Show registered hooks, their last firing and duration')
    .action(async (flags: HostFlags) => {
      const place = placeFor(io, flags)
      const program = describeHookProgram(place, findInstallation().root)
      const firings = await readFirings(resolveHome(io.env, io.homedir))
      const hosts = hostsFor(io, flags).map((host) =>
        inspectHost(host, { place, program, firings: firings.get(host) ?? [] }),
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
  outdated: 'installed in an outdated form: run steward hooks install',
  missing: 'not installed',
  unreadable: 'its settings cannot be parsed',
}
