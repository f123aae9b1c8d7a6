import { lstatSync, readlinkSync } from 'node:fs'
import { FILTER_FD, STATUS_FD } from './start-process.ts'

/** What the inside of a sandbox looks like. There is nothing in it but the system and what is named here. */
export interface BubblewrapProfile {
  /** With it, the network of the host and its loopback; without, a loopback of its own. */
  network: boolean
  /** The user and group inside; without it, those of whoever starts bubblewrap. */
  user?: number
  /** Keeps programs inside from making namespaces of their own, where bubblewrap can. */
  withoutNamespaces?: boolean
  /**
   * The whole environment. Other users of the machine can read it in the list of processes: without it,
   * the environment of bubblewrap itself is handed on, which they cannot.
   */
  env?: Readonly<Record<string, string>>
  /** Names in /etc that are shown besides those that all programs need. */
  etc: readonly string[]
  /** In this order, over the system: a mount on a folder hides what was mounted inside of it before. */
  mounts: readonly BubblewrapMount[]
  /** Whether a filter of system calls is handed over on its descriptor. */
  withFilter?: boolean
  cwd: string
}

export type BubblewrapMount =
  | { type: 'ro' | 'rw'; host: string; inside: string }
  | { type: 'memory'; inside: string; bytes?: number; mode?: string }
  | { type: 'folder'; inside: string }
  | { type: 'link'; inside: string; to: string }

/** What the installed one can do. */
export interface BubblewrapFeatures {
  /** Limit the size of folders in memory; from 0.7 on. */
  size: boolean
  disableUserns: boolean
}

export const ROOT_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** What programs need of /etc to check certificates and find libraries and programs; no secrets. */
const ETC = [
  'alternatives ca-certificates ca-certificates.conf crypto-policies fonts gai.conf host.conf',
  'hosts ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types nsswitch.conf pki',
  'protocols services ssl timezone',
].flatMap((names) => names.split(' '))

/** Everything bubblewrap is told, up to the program. */
export const describeBubblewrap = (
  profile: BubblewrapProfile,
  features: BubblewrapFeatures,
): string[] => [
  '--unshare-all',
  '--unshare-user',
  ...(profile.network ? ['--share-net'] : []),
  ...(profile.withoutNamespaces && features.disableUserns ? ['--disable-userns'] : []),
  ...(profile.user === undefined
    ? []
    : ['--uid', String(profile.user), '--gid', String(profile.user)]),
  ...['--cap-drop', 'ALL', '--hostname', 'sandbox'],
  ...['--die-with-parent', '--new-session'],
  ...(profile.withFilter ? ['--seccomp', String(FILTER_FD)] : []),
  ...['--json-status-fd', String(STATUS_FD)],
  ...(profile.env === undefined ? [] : describeEnvironment(profile.env)),
  ...ROOT_FOLDERS.flatMap(showRootFolder),
  ...[...ETC, ...profile.etc].flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...['--proc', '/proc', '--dev', '/dev'],
  ...profile.mounts.flatMap((mount) => describeMount(mount, features)),
  ...['--remount-ro', '/', '--remount-ro', '/dev'],
  ...['--chdir', profile.cwd],
]

const describeEnvironment = (env: Readonly<Record<string, string>>): string[] => [
  '--clearenv',
  ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
]

/** On most systems /bin and /lib are links into /usr, and must be so inside too. */
const showRootFolder = (path: string): string[] => {
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (info === undefined) return []
  return info.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

const describeMount = (mount: BubblewrapMount, features: BubblewrapFeatures): string[] => {
  switch (mount.type) {
    case 'ro':
      return ['--ro-bind', mount.host, mount.inside]
    case 'rw':
      return ['--bind', mount.host, mount.inside]
    case 'folder':
      return ['--dir', mount.inside]
    case 'link':
      return ['--symlink', mount.to, mount.inside]
    case 'memory':
      return [
        ...(features.size && mount.bytes !== undefined ? ['--size', String(mount.bytes)] : []),
        ...(mount.mode === undefined ? [] : ['--perms', mount.mode]),
        ...['--tmpfs', mount.inside],
      ]
  }
}

/** Shorter paths first: a mount on a folder would hide what was mounted inside of it. */
export const outerFirst = <Mount extends { inside: string }>(mounts: readonly Mount[]): Mount[] =>
  mounts.toSorted((a, b) => a.inside.length - b.inside.length)
