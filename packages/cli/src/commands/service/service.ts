import {
  chooseSupervisor,
  placeOf,
  programOf,
  SUPERVISORS,
  type Supervisor,
  type SupervisorKind,
  supervise,
} from '@steward/daemon/service'
import { resolveHome } from '@steward/platform'
import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { parseCount } from '../parse-count.ts'
import { awaitDaemon } from './await-daemon.ts'
import { renderStatus } from './render-status.ts'

const HELP = `
The supervisor is systemd (your own, without root) or launchd, or else a small one that comes with
Steward. Each restarts the daemon after a failure and stops it gracefully.

Examples:
  steward service install        start it now and with every login
  steward service status         show whether it runs and how healthy it is
  steward service logs --follow
`

interface ServiceFlags {
  supervisor?: SupervisorKind
  json?: true
}

const DEFAULT_LINES = 100

/** Commands that install, start, stop and show the daemon in the background. */
export const createServiceCommand = (io: Io): Command => {
  const service = new Command('service')
    .description('Run the daemon in the background under a supervisor.')
    .addHelpText('after', HELP)
  const choose = ({ supervisor }: ServiceFlags) =>
    chooseSupervisor(io, placeOf(process), supervisor)
  const add = (
    name: string,
    description: string,
    act: (chosen: Supervisor) => Promise<string>,
    isRunningAfter = false,
  ) =>
    service
      .command(name)
      .description(description)
      .addOption(supervisorOption())
      .option('--json', 'print JSON')
      .action(async (flags: ServiceFlags) => {
        const chosen = await choose(flags)
        const done = await act(chosen)
        const address = isRunningAfter ? await awaitDaemon(io, chosen) : null
        if (flags.json) printJson(io.out, { supervisor: chosen.kind, done, address })
        else io.out.write(`${chosen.kind}: ${done}\n${address === null ? '' : `${address}\n`}`)
      })
  add(
    'install',
    'start it now and with every login',
    async (chosen) => {
      const done = await chosen.install()
      await chosen.start()
      return done
    },
    true,
  )
  add('start', 'start it', (chosen) => chosen.start(), true)
  add('stop', 'stop it gracefully', (chosen) => chosen.stop())
  add('restart', 'stop and start it', (chosen) => chosen.restart(), true)
  add('uninstall', 'stop it and remove it', (chosen) => chosen.uninstall())
  service
    .command('status')
    .description('show whether it runs and how healthy it is')
    .addOption(supervisorOption())
    .option('--json', 'print JSON')
    .action(async (flags: ServiceFlags) => {
      const status = await (await choose(flags)).status()
      const { exitCode, text, whole } = await renderStatus(io, status)
      if (flags.json) printJson(io.out, whole)
      else io.out.write(text)
      io.exitCode = exitCode
    })
  service
    .command('logs')
    .description('print the daemon log')
    .addOption(supervisorOption())
    .option('-f, --follow', 'keep printing new lines')
    .option('-n, --lines <count>', 'number of lines', parseCount, DEFAULT_LINES)
    .action(async (flags: ServiceFlags & { follow?: true; lines: number }) => {
      const chosen = await choose(flags)
      await chosen.logs({ lines: flags.lines, follow: flags.follow === true })
    })
  service.command('supervise', { hidden: true }).action(async () => {
    const home = resolveHome(io.env, io.homedir)
    await supervise(home, programOf(io, placeOf(process), home), process)
  })
  return service
}

const supervisorOption = () =>
  new Option('--supervisor <kind>', 'supervisor; detected unless given').choices(SUPERVISORS)
