import { hostFile, planInstall } from '@steward/assistants'
import { ensureHome, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { changeHosts } from '../hooks/change-hosts.ts'
import { establishTrust } from '../hooks/codex-trust.ts'
import { prepareHookProgram } from '../hooks/find-hook-program.ts'
import { addChangeOptions, type ChangeFlags, hostsFor, placeFor } from '../hooks/host-flags.ts'
import { applyInstall, readIfThere } from '../hooks/install-record.ts'
import { summarizeHooks } from '../hooks/summarize-hooks.ts'
import type { Io } from '../io.ts'

export const createHooksInstallCommand = (io: Io): Command =>
  addChangeOptions(new Command('install'))
    .description('Register the hook with your assistants; keeps a backup.')
    .action(async (flags: ChangeFlags) => {
      const home = resolveHome(io.env, io.homedir)
      const hosts = hostsFor(io, flags)
      const place = placeFor(io, flags)
      const program = prepareHookProgram(io, place)
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
      const codex = changes.find(({ host }) => host === 'codex')
      if (agreed && codex !== undefined) await establishTrust(io, codex.path, place)
    })
