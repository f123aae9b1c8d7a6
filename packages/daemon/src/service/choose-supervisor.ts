import { realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import { type Home, resolveHome } from '@steward/platform'
import { createBuiltIn } from './built-in/built-in.ts'
import { supervisorFiles } from './built-in/state.ts'
import { createLaunchd } from './launchd.ts'
import { createCommands } from './run-command.ts'
import type {
  DaemonProgram,
  ServiceIo,
  Supervisor,
  SupervisorKind,
  SupervisorPorts,
} from './supervisor.ts'
import { createSystemd, hasSystemd } from './systemd.ts'

export interface ServicePlace {
  platform: NodeJS.Platform
  uid: number
  /** The script that this program was started with. */
  launcher: string
  node: string
}

export const placeOf = (process: NodeJS.Process): ServicePlace => ({
  platform: process.platform,
  uid: process.getuid?.() ?? 0,
  launcher: realpathSync(process.argv[1] ?? ''),
  node: process.execPath,
})

/** The machine's supervisor if there is one, else ours; `wanted` overrides. */
export const chooseSupervisor = async (
  io: ServiceIo,
  place: ServicePlace,
  wanted: SupervisorKind | undefined,
): Promise<Supervisor> => {
  const home = resolveHome(io.env, io.homedir)
  const program = programOf(io, place, home)
  const commands = createCommands(io)
  const ports: SupervisorPorts = { program, homedir: io.homedir, uid: place.uid, ...commands }
  const kind = wanted ?? (await detect(place.platform, commands.run))
  if (kind === 'systemd') return createSystemd(ports)
  if (kind === 'launchd') return createLaunchd({ ...ports, logFile: supervisorFiles(home).log })
  const superviseArgv = [place.node, place.launcher, 'service', 'supervise']
  return createBuiltIn({ ...ports, home, superviseArgv, sleep })
}

const detect = async (
  platform: NodeJS.Platform,
  run: SupervisorPorts['run'],
): Promise<SupervisorKind> => {
  if (platform === 'darwin') return 'launchd'
  if (platform === 'linux') return (await hasSystemd(run)) ? 'systemd' : 'built-in'
  throw new StewardError('not_available', {
    subject: 'steward service',
    reason: `it supports macOS and Linux, not ${platform}; steward daemon runs in the foreground`,
  })
}

/**
 * Supervisors pass on almost no environment, so the needed variables are written down. Keys belong
 * in `.env`.
 */
const KEPT = ['PATH', 'LANG', 'TZ', 'XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'DBUS_SESSION_BUS_ADDRESS']

export const programOf = (
  io: Pick<ServiceIo, 'env' | 'homedir'>,
  place: ServicePlace,
  home: Home,
): DaemonProgram => {
  const kept = KEPT.flatMap((name) => {
    const value = io.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    argv: [place.node, place.launcher, 'daemon'],
    env: { ...Object.fromEntries(kept), HOME: io.homedir, STEWARD_HOME: home.root, ...portOf(io) },
    home: home.root,
  }
}

const portOf = ({ env }: Pick<ServiceIo, 'env'>): Record<string, string> =>
  env.STEWARD_PORT ? { STEWARD_PORT: env.STEWARD_PORT } : {}
