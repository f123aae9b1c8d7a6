import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJsonObject, StewardError } from '@steward/contract'
import { type Home, isAbsent } from '@steward/platform'
import { findAnyCommand } from '../command/find-any-command.ts'
import type { DriveProgram, DriveSpec } from './drive-spec.ts'

/** A command and its arguments. */
export interface FoundProgram {
  command: string
  args: readonly string[]
}

export interface ProgramPlace {
  home: Pick<Home, 'root'>
  env: Readonly<Record<string, string | undefined>>
}

type Adapter = Extract<DriveProgram, { kind: 'adapter' }>

/** The folder that an adapter is installed into; another version has another folder. */
export const adapterFolder = (home: Pick<Home, 'root'>, adapter: Adapter): string =>
  join(
    home.root,
    'adapters',
    `${adapter.package.replaceAll(/[@/]+/g, '-').slice(1)}-${adapter.version}`,
  )

/** Throws `adapter_missing` or `assistant_not_installed` if it cannot be started. */
export const findProgram = (spec: DriveSpec, { home, env }: ProgramPlace): FoundProgram => {
  const { program, title, install } = spec
  if (program.kind === 'command') {
    const command = findAnyCommand({ env }, program.names)
    if (command !== undefined) return { command, args: program.args }
    const reason = `there is no command ${program.names.join(' or ')}; install it with \`${install}\``
    throw new StewardError('assistant_not_installed', { assistant: title, reason })
  }
  const script = adapterScript(home, program)
  if (script === undefined) {
    throw new StewardError('adapter_missing', { assistant: title, package: program.package })
  }
  return { command: process.execPath, args: [script] }
}

/** The script that an installed adapter starts with; undefined if it is not installed. */
const adapterScript = (home: Pick<Home, 'root'>, adapter: Adapter): string | undefined => {
  const folder = join(adapterFolder(home, adapter), 'node_modules', adapter.package)
  const text = readIfThere(join(folder, 'package.json'))
  const bin = text === undefined ? undefined : parseJsonObject(text)?.bin
  const [script] = isJsonObject(bin) ? Object.values(bin) : [bin]
  return typeof script === 'string' ? join(folder, script) : undefined
}

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined
    throw thrown
  }
}
