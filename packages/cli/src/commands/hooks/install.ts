import {
  ASSISTANTS,
  applyInstall,
  type HookProgram,
  hostFile,
  planInstall,
  prepareHookProgram,
  readIfThere,
} from '@steward/assistants'
import { type HostName, unwrap } from '@steward/contract'
import { ensureHome, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { findInstallation } from '../../setup/installation.ts'
import { changeHosts, planEach } from './change-hosts.ts'
import { addChangeOptions, type ChangeFlags, hostsFor, placeFor } from './host-flags.ts'

export const createHooksInstallCommand = (io: Io): Command =>
  addChangeOptions(new Command('install'))
    .description('Register the hook with your assistants; keeps a backup')
    .action(async (flags: ChangeFlags) => {
      const home = resolveHome(io.env, io.homedir)
      const hosts = hostsFor(io, flags)
      const place = placeFor(io, flags)
      const program = prepareHookProgram(place, findInstallation().root)
      unwrap(await ensureHome(home))
      const changes = await planEach(io, hosts, (host) => {
        const path = hostFile(host, place)
        return planInstall(host, path, readIfThere(path), program)
      })
      const agreed = await changeHosts(io, changes, {
        home,
        yes: flags.yes === true,
        json: flags.json === true,
        diff: flags.diff === true,
        question: 'Write this?',
        summarize: ({ host }) => summarizeHooks(host, program),
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

/**
 * What an install registers with an assistant, in a few lines: the number of hooks and their
 * purpose.
 */
const summarizeHooks = (host: HostName, { specifications, announce }: HookProgram): string => {
  const entries = ASSISTANTS[host].hooks
  const asking = entries.filter(({ asks }) => asks !== undefined)
  const guarding = entries.filter(({ guards }) => guards === true)
  const answering = entries.filter(({ answers }) => answers === true)
  const reporting = entries.filter(
    ({ asks, guards, answers }) => asks === undefined && guards !== true && answers !== true,
  )
  const groups = [
    { hooks: reporting, does: 'report what the assistant does' },
    { hooks: answering, does: 'show you its requests and pass on your answers' },
    { hooks: guarding, does: 'check prompts and tool calls against your rules' },
    { hooks: asking, does: 'ask the daemon to check them too' },
  ].filter(({ hooks }) => hooks.length > 0)
  const lines = groups.map(({ hooks, does }) => {
    const events = [...new Set(hooks.map(({ event }) => event))]
    return `  ${String(hooks.length).padStart(2)} ${does}: ${events.join(', ')}\n`
  })
  const rules =
    host === 'claude' && specifications !== undefined && announce !== undefined
      ? `   2 rules let it write ${specifications}/*/SPEC.md and run \`${announce}\` without asking you\n`
      : ''
  return `  adds ${entries.length} hooks and keeps yours\n${lines.join('')}${rules}`
}
