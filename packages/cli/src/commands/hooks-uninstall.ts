import { hostFile, planUninstall } from '@steward/assistants'
import { resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { changeHosts } from '../hooks/change-hosts.ts'
import { removeTrust } from '../hooks/codex-trust.ts'
import { addHostOptions, type HostFlags, hostsFor, placeFor } from '../hooks/host-flags.ts'
import { applyUninstall, readIfThere, readInstalled } from '../hooks/install-record.ts'
import type { Io } from '../io.ts'

interface UninstallFlags extends HostFlags {
  yes?: true
}

export const createHooksUninstallCommand = (io: Io): Command =>
  addHostOptions(new Command('uninstall'))
    .description('Takes the hook away: the file is as it was before, or without our entries.')
    .option('--yes', 'do not ask')
    .action(async (flags: UninstallFlags) => {
      const home = resolveHome(io.env, io.homedir)
      const place = placeFor(io, flags)
      const changes = await Promise.all(
        hostsFor(io, flags).map(async (host) => {
          const path = hostFile(host, place)
          return planUninstall(host, path, readIfThere(path), await readInstalled(home, path))
        }),
      )
      const agreed = await changeHosts(io, changes, {
        home,
        yes: flags.yes === true,
        json: flags.json === true,
        question: 'Take them away?',
        unchanged: 'has none of our hooks',
        apply: (change) => applyUninstall(home, change),
      })
      if (agreed && changes.some(({ host }) => host === 'codex')) await removeTrust(place)
    })
