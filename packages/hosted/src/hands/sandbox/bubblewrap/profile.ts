import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PLACE_NAMES } from '../place.ts'
import { INSIDE, type SandboxSpec, type StartOptions } from '../sandbox.ts'

export interface ProfileOptions {
  /**
   * Translates host paths of the session's folder, binds and sockets into what the starter of
   * bubblewrap sees.
   */
  find: (host: string) => string
  sharedMemoryBytes: number
  /** Descriptors of the filter and of the pipe that reports the first process inside. */
  seccompFd: number | undefined
  infoFd: number
  features: BubblewrapFeatures
}

/** The features of the installed version. */
export interface BubblewrapFeatures {
  size: boolean
  disableUserns: boolean
}

export const SANDBOX_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const ROOT_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/**
 * Needed to resolve names, check certificates and find libraries and programs; contains no secrets.
 */
const ETC = [
  'alternatives ca-certificates ca-certificates.conf crypto-policies fonts gai.conf host.conf',
  'hosts ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types nsswitch.conf pki',
  'protocols services ssl timezone java-17-openjdk java-21-openjdk',
].flatMap((names) => names.split(' '))
const SESSION_USER = '1000'

/** All arguments of bubblewrap up to the program. */
export const describeProfile = (
  spec: SandboxSpec,
  start: StartOptions,
  options: ProfileOptions,
): string[] => [
  '--unshare-all',
  '--unshare-user',
  ...(spec.network === 'shared' ? ['--share-net'] : []),
  ...(options.features.disableUserns ? ['--disable-userns'] : []),
  ...['--uid', SESSION_USER, '--gid', SESSION_USER],
  ...['--cap-drop', 'ALL', '--hostname', 'sandbox'],
  ...['--die-with-parent', '--new-session'],
  ...(options.seccompFd === undefined ? [] : ['--seccomp', String(options.seccompFd)]),
  ...['--info-fd', String(options.infoFd)],
  '--clearenv',
  ...Object.entries({ ...describeEnvironment(spec), ...start.env }).flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ]),
  ...ROOT_FOLDERS.flatMap(showRootFolder),
  ...ETC.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...(spec.network === 'shared' ? showAsFile('/etc/resolv.conf') : []),
  ...['--proc', '/proc', '--dev', '/dev'],
  ...(options.features.size ? ['--size', String(options.sharedMemoryBytes)] : []),
  ...['--perms', '1777', '--tmpfs', '/dev/shm'],
  ...['--dir', '/var', '--symlink', '../tmp', '/var/tmp', '--dir', '/run'],
  ...PLACE_NAMES.flatMap((name) => [
    '--bind',
    join(options.find(spec.workspace), name),
    INSIDE[name],
  ]),
  // Shorter paths first, because a mount on a folder would hide earlier mounts inside it.
  ...[...spec.binds]
    .toSorted((a, b) => a.inside.length - b.inside.length)
    .flatMap(({ host, inside, mode }) => [
      mode === 'ro' ? '--ro-bind' : '--bind',
      options.find(host),
      inside,
    ]),
  ...spec.sockets.flatMap(({ host, inside }) => ['--bind', options.find(host), inside]),
  ...['--remount-ro', '/', '--remount-ro', '/dev'],
  ...['--chdir', start.cwd ?? INSIDE.workspace],
]

export const describeEnvironment = (spec: SandboxSpec): Record<string, string> => ({
  PATH: SANDBOX_PATH,
  HOME: INSIDE.home,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TMPDIR: INSIDE.tmp,
  ...spec.env,
})

/** On most systems /bin and /lib are links into /usr, and must be links inside too. */
const showRootFolder = (path: string): string[] => {
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (info === undefined) return []
  return info.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** A link is bound as its target, because the target's path does not exist inside. */
const showAsFile = (path: string): string[] => ['--ro-bind-try', path, path]
