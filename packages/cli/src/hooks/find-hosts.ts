import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { hostFile } from '@steward/assistants'
import { HOSTS, type HostName } from '@steward/contract'
import type { Io } from '../io.ts'

const COMMANDS: Readonly<Record<HostName, readonly string[]>> = {
  claude: ['claude'],
  codex: ['codex'],
  gemini: ['gemini'],
  cursor: ['cursor-agent', 'cursor'],
  opencode: ['opencode'],
}

export const commandNames = (): string[] => HOSTS.flatMap((host) => COMMANDS[host])

/** Where a host's command is; nothing when it is not on the PATH. */
export const findHostCommand = (io: Io, host: HostName): string | undefined => {
  const folders = (io.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of COMMANDS[host]) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable)
    if (found !== undefined) return found
  }
  return undefined
}

/** The assistants that are used here: their command is there, or the folder of their settings. */
export const findHosts = (io: Io): HostName[] => HOSTS.filter((host) => isHostHere(io, host))

export const isHostHere = (io: Io, host: HostName): boolean =>
  findHostCommand(io, host) !== undefined || existsSync(folderOf(io, host))

const folderOf = (io: Io, host: HostName): string => {
  const folder = dirname(hostFile(host, { env: io.env, homedir: io.homedir }))
  return host === 'opencode' ? dirname(folder) : folder
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return false
    throw thrown
  }
}
