import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import {
  type AskedHealth,
  askHealth,
  chooseSupervisor,
  placeOf,
  programOf,
  type ServiceStatus,
  SUPERVISORS,
  type Supervisor,
  type SupervisorKind,
  stopOtherDaemon,
  supervise,
} from '@steward/daemon/service'
import { resolveHome } from '@steward/platform'
import { Command, Option } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'

const HELP = `
The supervisor is systemd (your own, without root) or launchd, or else a small one that comes with
Steward. Each restarts the daemon after a failure and stops it gracefully.

Examples:
  steward service install        start it now and with every login; takes over from npm start
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
    .description('Run the daemon in the background under a supervisor')
    .addHelpText('after', HELP)
  const choose = ({ supervisor }: ServiceFlags) =>
    chooseSupervisor(io, placeOf(process), supervisor)
  const add = (
    name: string,
    description: string,
    act: (chosen: Supervisor) => Promise<{ done: string; address?: string }>,
  ) =>
    service
      .command(name)
      .description(description)
      .addOption(supervisorOption())
      .option('--json', 'print JSON')
      .action(async (flags: ServiceFlags) => {
        const chosen = await choose(flags)
        const { done, address = null } = await act(chosen)
        if (flags.json) printJson(io.out, { supervisor: chosen.kind, done, address })
        else io.out.write(`${chosen.kind}: ${done}\n${address === null ? '' : `${address}\n`}`)
      })
  /** A daemon started by hand uses the data home, so it is stopped first. */
  const takingOver =
    (act: (chosen: Supervisor) => Promise<string>) => async (chosen: Supervisor) => {
      const other = await stopOtherDaemon(io, chosen)
      const done = await act(chosen)
      const address = await awaitDaemon(io, chosen)
      return { done: other === undefined ? done : `${describeStopped(other)}; ${done}`, address }
    }
  add(
    'install',
    'Start the daemon now and with every login',
    takingOver(async (chosen) => {
      const done = await chosen.install()
      await chosen.start()
      return done
    }),
  )
  add(
    'start',
    'Start the daemon',
    takingOver((chosen) => chosen.start()),
  )
  add('stop', 'Stop the daemon gracefully', async (chosen) => {
    const done = await chosen.stop()
    const other = await stopOtherDaemon(io, chosen)
    return { done: other === undefined ? done : describeStopped(other) }
  })
  add(
    'restart',
    'Stop and start the daemon',
    takingOver((chosen) => chosen.restart()),
  )
  add('uninstall', 'Stop the daemon and remove the service', async (chosen) => ({
    done: await chosen.uninstall(),
  }))
  service
    .command('status')
    .description('Show whether the daemon runs and is healthy')
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
    .description('Print the daemon log')
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

const describeStopped = (pid: number): string => `stopped the daemon started by hand, pid ${pid}`

const supervisorOption = () =>
  new Option('--supervisor <kind>', 'supervisor (default: detected)').choices(SUPERVISORS)

const LOOK_MS = 100
const LONGEST_MS = 20_000

/** Waits until the daemon of this supervisor answers, and returns its address. */
const awaitDaemon = async (io: Io, supervisor: Supervisor): Promise<string> => {
  const home = resolveHome(io.env, io.homedir)
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += LOOK_MS) {
    const { pid, refused } = await supervisor.status()
    if (refused !== null) throw notRunning(refused)
    const asked = await askHealth(home)
    if ('health' in asked && asked.health.pid === pid) return asked.address
    await sleep(LOOK_MS, undefined, { signal: io.signal })
  }
  const { detail } = await supervisor.status()
  throw notRunning(
    `it does not listen after ${LONGEST_MS / 1000} s (${detail ?? 'not running'}); ${COMMAND} service logs shows why`,
  )
}

const notRunning = (reason: string): StewardError =>
  new StewardError('module_failed', { module: 'daemon', reason })

/** A status with the daemon's own report; exits 1 if it is not running. */
const renderStatus = async (io: Io, status: ServiceStatus) => {
  const daemon = await askHealth(resolveHome(io.env, io.homedir))
  const running = status.running || 'health' in daemon
  const supervised = status.running && (!('health' in daemon) || daemon.health.pid === status.pid)
  const lines = [
    `supervisor  ${status.supervisor}${status.installed ? ', installed' : ''}`,
    `running     ${running ? `yes${pidOf(status, daemon)}${supervised ? '' : BY_HAND}` : 'no'}`,
    ...(status.restarts ? [`restarts    ${status.restarts}`] : []),
    ...(status.refused === null || supervised ? [] : [`last start  refused: ${status.refused}`]),
    ...(status.detail === null ? [] : [`detail      ${status.detail}`]),
    ...describeHealth(daemon),
  ]
  return {
    exitCode: running ? EXIT.success : EXIT.failed,
    text: `${lines.join('\n')}\n`,
    whole: { ...status, running, supervised, ...daemon },
  }
}

const BY_HAND = `, started by hand (\`${COMMAND} service install\` takes over)`

const pidOf = ({ pid }: ServiceStatus, daemon: AskedHealth): string => {
  const known = 'health' in daemon ? daemon.health.pid : pid
  return known === null ? '' : `, pid ${known}`
}

const describeHealth = (daemon: AskedHealth): string[] =>
  'health' in daemon
    ? [
        `address     ${daemon.address}`,
        `health      ${[daemon.health.status, ...daemon.health.reasons].join('; ')}`,
      ]
    : [`health      unknown: ${daemon.reason}`]
