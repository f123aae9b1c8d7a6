import {
  ASSISTANTS,
  applyInstall,
  hostFile,
  planInstall,
  prepareHookProgram,
  readIfThere,
} from '@steward/assistants'
import { ensureHome, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { findInstallation } from '../../setup/installation.ts'
import { changeHosts } from './change-hosts.ts'
import { addHostOptions, type HostFlags, hostsFor, placeFor } from './host-flags.ts'

interface InstallFlags extends HostFlags {
  yes?: true
}

export const createHooksInstallCommand = (io: Io): Command =>
  addHostOptions(new Command('install'))
    .description('Register the hooks: shows the change, keeps a backup.')
    .option('--yes', 'change files without asking')
    .action(async (flags: InstallFlags) => {
      const home = resolveHome(io.env, io.homedir)
      const hosts = hostsFor(io, flags)
      const place = placeFor(io, flags)
      const program = prepareHookProgram(place, findInstallation().root)
      const made = await ensureHome(home)
      if (!made.ok) throw made.error
      const changes = hosts.map((host) => {
        const path = hostFile(host, place)
        return planInstall(host, path, readIfThere(path), program)
      })
      const agreed = await changeHosts(io, changes, {
        home,
        yes: flags.yes === true,
        json: flags.json === true,
        question: 'Write this?',
        unchanged: 'has the hooks already',
        apply: (change) => applyInstall(home, change),
      })
      if (!agreed) return
      for (const { host, path } of changes) {
        const setup = await ASSISTANTS[host].loadSetup?.()
        const done = await setup?.afterInstall?.(path, place)
        if (done !== undefined) io.err.write(`${host}: ${cleanText(done)}\n`)
      }
    })
