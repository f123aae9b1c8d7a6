import { join } from 'node:path'
import { type BubblewrapProfile, outerFirst } from '@steward/platform'
import { describeEnvironment } from '../environment.ts'
import { PLACE_NAMES } from '../place.ts'
import { INSIDE, type SandboxSpec, type StartOptions } from '../sandbox.ts'

export interface ProfileOptions {
  /**
   * Translates host paths of the session's folder, binds and sockets into what the starter of
   * bubblewrap sees.
   */
  find: (host: string) => string
  /** Whether bubblewrap is started in a network namespace of the sandbox already. */
  ownNetwork: boolean
  sharedMemoryBytes: number
  withFilter: boolean
}

const ETC = ['java-17-openjdk', 'java-21-openjdk']
const SESSION_USER = 1000

/** The inside of a session's sandbox. */
export const describeProfile = (
  spec: SandboxSpec,
  start: StartOptions,
  { find, ownNetwork, sharedMemoryBytes, withFilter }: ProfileOptions,
): BubblewrapProfile => ({
  network: spec.network === 'shared' || ownNetwork,
  user: SESSION_USER,
  withoutNamespaces: true,
  withFilter,
  env: { ...describeEnvironment(spec), ...start.env },
  etc: [...ETC, ...(spec.network === 'shared' ? ['resolv.conf'] : [])],
  mounts: [
    { type: 'memory', inside: '/dev/shm', bytes: sharedMemoryBytes, mode: '1777' },
    { type: 'folder', inside: '/var' },
    { type: 'link', inside: '/var/tmp', to: '../tmp' },
    { type: 'folder', inside: '/run' },
    ...PLACE_NAMES.map((name) => ({
      type: 'rw' as const,
      host: join(find(spec.workspace), name),
      inside: INSIDE[name],
    })),
    ...outerFirst(spec.binds).map(({ host, inside, mode }) => ({
      type: mode,
      host: find(host),
      inside,
    })),
    ...spec.sockets.map(({ host, inside }) => ({
      type: 'rw' as const,
      host: find(host),
      inside,
    })),
  ],
  cwd: start.cwd ?? INSIDE.workspace,
})
