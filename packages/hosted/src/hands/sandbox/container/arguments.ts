import { join } from 'node:path'
import { describeEnvironment } from '../environment.ts'
import type { SandboxLimits } from '../limits/limits.ts'
import { PLACE_NAMES } from '../place.ts'
import { INSIDE, type SandboxSpec, type StartOptions } from '../sandbox.ts'

export interface ContainerOptions {
  name: string
  /** The server it belongs to, so that it is found after a crash. */
  label: string
  image: string
  user: string
  /** gVisor's runtime, which gives the container its own kernel. */
  runtime: 'runsc' | undefined
}

/**
 * The arguments that create a session's container; it only waits, and programs are started in it.
 */
export const describeContainer = (
  spec: SandboxSpec,
  limits: SandboxLimits,
  options: ContainerOptions,
): string[] => [
  ...['run', '--detach', '--init', '--name', options.name, '--label', options.label],
  ...(options.runtime === undefined ? [] : ['--runtime', options.runtime]),
  ...['--network', spec.network === 'shared' ? 'bridge' : 'none', '--hostname', 'sandbox'],
  ...['--user', options.user, '--read-only', '--ipc', 'none', '--pull', 'never'],
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
  ...['--cpus', String(limits.cpus), '--pids-limit', String(limits.processes)],
  ...['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
  ...['--ulimit', 'core=0', '--ulimit', `nofile=${limits.openFiles}:${limits.openFiles}`],
  ...['--ulimit', `fsize=${limits.fileBytes}:${limits.fileBytes}`],
  ...['--tmpfs', `/dev/shm:rw,nosuid,nodev,size=${limits.sharedMemoryBytes}`],
  ...PLACE_NAMES.flatMap((name) => bind(join(spec.workspace, name), INSIDE[name], 'rw')),
  ...spec.binds.flatMap(({ host, inside, mode }) => bind(host, inside, mode)),
  ...spec.sockets.flatMap(({ host, inside }) => bind(host, inside, 'rw')),
  ...['--workdir', INSIDE.workspace, '--entrypoint', '/bin/sleep', options.image, 'infinity'],
]

/** The short form would misinterpret a colon or a comma in a path. */
const bind = (host: string, inside: string, mode: 'ro' | 'rw'): string[] => {
  const field = (name: string, value: string) => `"${name}=${value.replaceAll('"', '""')}"`
  const parts = ['type=bind', field('source', host), field('target', inside)]
  return ['--mount', [...parts, ...(mode === 'ro' ? ['readonly'] : [])].join(',')]
}

/** The arguments that start a program in it. */
export const describeExec = (
  name: string,
  spec: SandboxSpec,
  start: StartOptions,
  argv: readonly string[],
): string[] => {
  const all = { ...describeEnvironment(spec), ...start.env }
  return [
    ...['exec', '--interactive', '--workdir', start.cwd ?? INSIDE.workspace],
    ...Object.entries(all).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...[name, ...argv],
  ]
}
