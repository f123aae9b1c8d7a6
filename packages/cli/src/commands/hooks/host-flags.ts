import { resolve } from 'node:path'
import { ASSISTANTS, findHosts, type HostPlace, isHostName } from '@steward/assistants'
import { HOSTS, type HostName, StewardError } from '@steward/contract'
import { type Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { COMMAND } from '../../setup/command-name.ts'

export interface HostFlags {
  host?: HostName[]
  project?: string
  json?: true
}

/** The options common to all hook commands. */
export const addHostOptions = (command: Command): Command =>
  command
    .option('--host <name>', `${HOSTS.join(', ')}; those found here unless given`, collectHost)
    .option('--project <dir>', 'only for this folder')
    .option('--json', 'print JSON')

export interface ChangeFlags extends HostFlags {
  diff?: true
  yes?: true
}

/** The options of commands that change files of assistants. */
export const addChangeOptions = (command: Command): Command =>
  addHostOptions(command).option('--diff', 'show every changed line').option('--yes', 'do not ask')

const collectHost = (name: string, before: HostName[] = []): HostName[] => {
  if (isHostName(name)) return [...before, name]
  throw new InvalidArgumentError(`There are ${HOSTS.join(', ')}.`)
}

export const hostsFor = (io: Io, { host }: HostFlags): HostName[] => {
  const hosts = host ?? findHosts(io)
  if (hosts.length > 0) return hosts
  throw new StewardError('command_missing', {
    command: 'an assistant',
    reason: `neither the commands ${HOSTS.flatMap((name) => ASSISTANTS[name].commands).join(', ')} nor their settings were found. Install one of them, or write the settings of one in advance: ${COMMAND} hooks install --host claude`,
  })
}

export const placeFor = (io: Io, { project }: HostFlags): HostPlace => ({
  env: io.env,
  homedir: io.homedir,
  ...(project === undefined ? {} : { project: resolve(io.cwd, project) }),
})
