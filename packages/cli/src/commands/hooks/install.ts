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
import { addChangeOptions, type ChangeFlags, hostsFor, placeFor } from './host-flags.ts'
import { summarizeHooks } from './summarize-hooks.ts'

export const createHooksInstallCommand = (io: Io): Command =>
  addChangeOptions(new Command('install'))
    .description('Register the hook with your assistants; keeps a backup.')
    .action(async (flags: ChangeFlags) => {
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
        diff: flags.diff === true,
        question: 'Write this?',
        summarize: ({ host }) => summarizeHooks(host),
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
