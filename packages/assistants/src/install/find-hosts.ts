import { existsSync } from 'node:fs'
import { HOSTS, type HostName } from '@steward/contract'
import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'
import { findAnyCommand } from '../command/find-any-command.ts'

type Machine = Pick<HostPlace, 'env' | 'homedir'>

/** The path of an assistant's command; nothing when it is not on the PATH. */
export const findHostCommand = (machine: Machine, host: HostName): string | undefined =>
  findAnyCommand(machine, ASSISTANTS[host].commands)

/** The assistants that are used here: their command or the folder of their settings exists. */
export const findHosts = (machine: Machine): HostName[] =>
  HOSTS.filter((host) => isHostHere(machine, host))

export const isHostHere = ({ env, homedir }: Machine, host: HostName): boolean =>
  findHostCommand({ env, homedir }, host) !== undefined ||
  existsSync(ASSISTANTS[host].settingsFolder({ env, homedir }))
