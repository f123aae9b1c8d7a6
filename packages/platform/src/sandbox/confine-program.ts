import { existsSync } from 'node:fs'
import { ok, type Result } from '@steward/contract'
import {
  type BubblewrapMount,
  describeBubblewrap,
  outerFirst,
  ROOT_FOLDERS,
} from './bubblewrap-arguments.ts'
import { detectBubblewrap, sandboxUnavailable } from './detect-bubblewrap.ts'
import { pathsOfExecutable } from './executable-paths.ts'
import { DEFAULT_PATH } from './find-command.ts'
import type { Launch } from './start-process.ts'

export interface ConfinedPlace {
  /** The working directory. */
  folder: string
  homedir: string
  /** Where programs are looked for. */
  path: string
  /** In this order; those that do not exist are left out. */
  readable: readonly string[]
  writable: readonly string[]
  /** Below the writable ones. */
  protected: readonly string[]
}

/**
 * The same program in bubblewrap, with the network: it sees the system, itself and the given paths,
 * an empty home and an empty /tmp, and ends with this process.
 */
export const confineProgram = async (
  { command, args }: Launch,
  place: ConfinedPlace,
): Promise<Result<Launch>> => {
  if (process.platform !== 'linux') {
    return sandboxUnavailable(`Steward has no sandbox for assistants on ${process.platform}`)
  }
  return detectBubblewrap(place.path, async ({ bwrap, features }) => {
    const programs = [command, ...args.filter((arg) => arg.startsWith('/'))]
    const visible = programs.flatMap((file) =>
      existsSync(file) ? pathsOfExecutable(file, place.path, place.homedir) : [],
    )
    const shown = [...new Set([...visible, ...place.readable])].filter(
      (path) => !ROOT_FOLDERS.some((root) => path === root || path.startsWith(`${root}/`)),
    )
    const profile = {
      network: true,
      etc: ['group', 'passwd', 'resolv.conf'],
      mounts: [
        { type: 'memory' as const, inside: '/dev/shm' },
        { type: 'memory' as const, inside: '/tmp' },
        { type: 'memory' as const, inside: place.homedir },
        ...outerFirst(mountsOf('ro', shown)),
        ...mountsOf('rw', place.writable),
        ...mountsOf('ro', place.protected),
      ],
      cwd: place.folder,
      withStatus: false,
    }
    return ok({
      command: bwrap,
      args: [...describeBubblewrap(profile, features), '--', command, ...args],
    })
  })
}

const mountsOf = (type: 'ro' | 'rw', paths: readonly string[]): BubblewrapMount[] =>
  paths.filter((path) => existsSync(path)).map((path) => ({ type, host: path, inside: path }))

/** The search path of an environment. */
export const searchPathOf = ({ PATH }: Readonly<Record<string, string | undefined>>): string =>
  PATH || DEFAULT_PATH
