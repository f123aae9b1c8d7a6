import { homedir } from 'node:os'
import { describeBubblewrap, outerFirst, ROOT_FOLDERS } from './bubblewrap-arguments.ts'
import { pathsOfExecutable } from './executable-paths.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import { markSandbox } from './left-sandboxes.ts'
import { type Launch, type StartedProcess, startProcess } from './start-process.ts'

export interface IsolatedOptions {
  /** Everything that the program may read besides the system and itself. */
  readOnlyPaths: readonly string[]
  network: boolean
  /** Heap, buffers and stacks together, where the system can limit them. */
  memoryBytes: number
}

/**
 * Starts a long-lived program in its own namespaces: it reads only the named paths, writes nothing, has
 * no environment, and ends with this process.
 */
export const startInBubblewrap = (
  bwrap: string,
  argv: readonly [string, ...string[]],
  { readOnlyPaths, network, memoryBytes }: IsolatedOptions,
): StartedProcess => {
  const visible = [...pathsOfExecutable(argv[0], DEFAULT_PATH, homedir()), ...readOnlyPaths]
  const shown = [...new Set(visible)].filter(
    (path) => !ROOT_FOLDERS.some((root) => path === root || path.startsWith(`${root}/`)),
  )
  const profile = {
    network,
    etc: network ? NETWORK_ETC : [],
    mounts: [
      { type: 'memory' as const, inside: '/tmp' },
      ...outerFirst(shown.map((path) => ({ type: 'ro' as const, host: path, inside: path }))),
    ],
    cwd: '/',
  }
  const args = [
    ...describeBubblewrap(profile, { size: false, disableUserns: false }),
    '--',
    ...limitMemory(memoryBytes),
    ...argv,
  ]
  const launch: Launch = { command: bwrap, args, name: markSandbox() }
  return startProcess(launch, { env: {}, cwd: '/', withStatus: true })
}

const NETWORK_ETC = ['resolv.conf']

/** Starts a long-lived program with limits only, for systems without namespaces. */
export const startWithLimits = (
  argv: readonly [string, ...string[]],
  memoryBytes: number,
): StartedProcess => {
  const [command, ...args] = [...endWithParent(), ...limitMemory(memoryBytes), ...argv]
  const launch: Launch = { command: command ?? argv[0], args }
  return startProcess(launch, { env: {}, cwd: '/' })
}

const limitMemory = (bytes: number): string[] => {
  const prlimit = findCommand('prlimit', DEFAULT_PATH)
  return prlimit.ok ? [prlimit.value, '--core=0', `--data=${bytes}`, '--'] : []
}

/** A program that is busy does not notice that its input has ended. */
const endWithParent = (): string[] => {
  const setpriv = findCommand('setpriv', DEFAULT_PATH)
  return setpriv.ok ? [setpriv.value, '--pdeathsig', 'KILL', '--'] : []
}
