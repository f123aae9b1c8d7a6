import { lstatSync, readlinkSync } from 'node:fs'
import { FILTER_FD, STATUS_FD } from './start-process.ts'

/** The contents of a sandbox: the system and the parts listed here, nothing else. */
export interface BubblewrapProfile {
  /** If true, the host's network and loopback; if false, a separate loopback only. */
  network: boolean
  /** The user and group inside; by default those of the process that starts bubblewrap. */
  user?: number
  /** Prevents programs inside from creating namespaces, if this bubblewrap supports it. */
  withoutNamespaces?: boolean
  /**
   * The whole environment. Other users can read it in the process list; without it, bubblewrap
   * passes on its own environment, which they cannot read.
   */
  env?: Readonly<Record<string, string>>
  /** Names in /etc that are visible in addition to those that all programs need. */
  etc: readonly string[]
  /** In this order, over the system: a mount on a folder hides earlier mounts inside it. */
  mounts: readonly BubblewrapMount[]
  /** Whether a system call filter is passed on its descriptor. */
  withFilter?: boolean
  /** Whether it reports its status on a descriptor; true unless given. */
  withStatus?: boolean
  cwd: string
}

export type BubblewrapMount =
  | { type: 'ro' | 'rw'; host: string; inside: string }
  | { type: 'memory'; inside: string; bytes?: number; mode?: string }
  | { type: 'folder'; inside: string }
  | { type: 'link'; inside: string; to: string }

/** The features of the installed bubblewrap. */
export interface BubblewrapFeatures {
  /** Supports size limits for in-memory folders; since 0.7. */
  size: boolean
  disableUserns: boolean
}

export const ROOT_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Files in /etc that programs need for certificates, libraries and programs; no secrets. */
const ETC = [
  'alternatives ca-certificates ca-certificates.conf crypto-policies fonts gai.conf host.conf',
  'hosts ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types nsswitch.conf pki',
  'protocols services ssl timezone',
].flatMap((names) => names.split(' '))

/** All arguments of bubblewrap up to the program. */
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
  ...(profile.withStatus === false ? [] : ['--json-status-fd', String(STATUS_FD)]),
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

/** On most systems /bin and /lib are links into /usr, which must exist inside too. */
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

/** Sorts shorter paths first, because a mount on a folder hides earlier mounts inside it. */
export const outerFirst = <Mount extends { inside: string }>(mounts: readonly Mount[]): Mount[] =>
  mounts.toSorted((a, b) => a.inside.length - b.inside.length)
