import {
  ASSISTANTS,
  applyUninstall,
  hostFile,
  planUninstall,
  readIfThere,
  readInstalled,
} from '@steward/assistants'
import { resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { changeHosts } from './change-hosts.ts'
import { addHostOptions, type HostFlags, hostsFor, placeFor } from './host-flags.ts'

interface UninstallFlags extends HostFlags {
  yes?: true
}

export const createHooksUninstallCommand = (io: Io): Command =>
  addHostOptions(new Command('uninstall'))
    .description('Remove the hooks and restore the files as they were.')
    .option('--yes', 'change files without asking')
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
        question: 'Remove them?',
        unchanged: 'has none of our hooks',
        apply: (change) => applyUninstall(home, change),
      })
      if (!agreed) return
      for (const { host } of changes) {
        const setup = await ASSISTANTS[host].loadSetup?.()
        await setup?.afterUninstall?.(place)
      }
    })
