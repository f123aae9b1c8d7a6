import { resolve } from 'node:path'
import { findHosts, type HostPlace, isHostName } from '@steward/assistants'
import { HOSTS, type HostName, StewardError } from '@steward/contract'
import { type Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'

export interface HostFlags {
  host?: HostName[]
  project?: string
  json?: true
}

/** The options that all commands about hooks have. */
export const addHostOptions = (command: Command): Command =>
  command
    .option('--host <name>', `${HOSTS.join(', ')}; those found here unless given`, collectHost)
    .option('--project <dir>', 'only for this folder')
    .option('--json', 'print JSON')

const collectHost = (name: string, before: HostName[] = []): HostName[] => {
  if (isHostName(name)) return [...before, name]
  throw new InvalidArgumentError(`There are ${HOSTS.join(', ')}.`)
}

export const hostsFor = (io: Io, { host }: HostFlags): HostName[] => {
  const hosts = host ?? findHosts(io)
  if (hosts.length > 0) return hosts
  throw new StewardError('not_found', {
    subject: 'an assistant on this machine (name one with --host)',
  })
}

export const placeFor = (io: Io, { project }: HostFlags): HostPlace => ({
  env: io.env,
  homedir: io.homedir,
  ...(project === undefined ? {} : { project: resolve(io.cwd, project) }),
})
