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
import { changeHosts, planEach } from './change-hosts.ts'
import { addChangeOptions, type ChangeFlags, hostsFor, placeFor } from './host-flags.ts'

export const createHooksUninstallCommand = (io: Io): Command =>
  addChangeOptions(new Command('uninstall'))
    .description('Remove the hook; restores the file as it was before')
    .action(async (flags: ChangeFlags) => {
      const home = resolveHome(io.env, io.homedir)
      const place = placeFor(io, flags)
      const changes = await planEach(io, hostsFor(io, flags), async (host) => {
        const path = hostFile(host, place)
        return planUninstall(host, path, readIfThere(path), await readInstalled(home, path))
      })
      const agreed = await changeHosts(io, changes, {
        home,
        yes: flags.yes === true,
        json: flags.json === true,
        diff: flags.diff === true,
        question: 'Remove them?',
        summarize: ({ after }) =>
          after === undefined
            ? '  removes the file, which Steward created\n'
            : "  removes Steward's hooks and keeps yours\n",
        unchanged: 'has none of our hooks',
        apply: (change) => applyUninstall(home, change),
      })
      if (!agreed) return
      for (const { host } of changes) {
        const setup = await ASSISTANTS[host].loadSetup?.()
        await setup?.afterUninstall?.(place)
      }
    })
