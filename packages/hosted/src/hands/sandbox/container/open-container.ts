import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { HandsReport } from '../../hands.ts'
import { describeEntrance } from '../enter.ts'
import { createPlace, giveTo } from '../place.ts'
import { runToEnd } from '../run-to-end.ts'
import type { Running } from '../running.ts'
import { INSIDE, type Sandbox, type SandboxDriver } from '../sandbox.ts'
import { startRecorded } from '../start-recorded.ts'
import { describeContainer, describeExec } from './arguments.ts'

export interface OpenContainerOptions {
  kind: 'docker' | 'gvisor'
  running: Running
  /** Must contain bash and the usual programs, and be on the machine already. */
  image: string
  /** Runs a Docker command and returns its output. */
  ask?: (args: readonly string[]) => Promise<string>
  /** The user id of this process; 0 is root. */
  uid?: number
}

const SESSION_USER = 1000
const LABEL = 'steward.hosted'

/** One container per session, with plain Docker or gVisor. */
export const openContainer = async (
  options: OpenContainerOptions,
): Promise<Result<SandboxDriver>> => {
  const { kind, running, image, ask = askDocker, uid = process.getuid?.() ?? 0 } = options
  const problem = await findProblem(kind, image, ask)
  if (problem !== undefined) return fail(new StewardError('sandbox_unavailable', problem))
  await removeOrphans(ask, running)
  const owner = uid === 0 ? SESSION_USER : undefined
  const user = `${owner ?? uid}:${owner ?? process.getgid?.() ?? uid}`
  const runtime = kind === 'gvisor' ? ('runsc' as const) : undefined
  let count = 0

  const provision: SandboxDriver['provision'] = async (spec, limits) => {
    await createPlace(spec.workspace, owner)
    if (owner !== undefined) {
      for (const { host, mode } of spec.binds) if (mode === 'rw') await giveTo(host, owner)
    }
    count += 1
    const name = `steward-${running.name}-${count}`
    const label = `${LABEL}=${running.name}`
    const remove = (): Promise<string> => ask(['rm', '--force', '--volumes', name])
    try {
      await ask(describeContainer(spec, limits, { name, label, image, user, runtime }))
    } catch (thrown) {
      // A container that was created but not started still exists.
      await remove().catch(() => '')
      throw thrown
    }

    const start: Sandbox['start'] = (argv, startOptions = {}) => {
      const entrance = describeEntrance(argv, {
        ...{ limits, limitProcesses: false, limitMemory: false },
        companions: startOptions.companions === true ? spec.companions : [],
      })
      const args = describeExec(name, spec, startOptions, entrance)
      const started = startRecorded(
        { command: 'docker', args },
        { running, env: readDockerEnvironment(process.env) },
      )
      return {
        ...started,
        kill: async () => {
          // Programs inside survive the `docker exec` that started them, but not a restart of the
          // container.
          await ask(['restart', '--time', '0', name])
          await started.kill()
        },
      }
    }
    return {
      paths: INSIDE,
      start,
      run: (argv, runOptions) => runToEnd(() => start(argv, runOptions), runOptions),
      destroy: async () => {
        await remove()
      },
    }
  }
  const version = (await ask(['info', '--format', '{{.CgroupVersion}}'])).trim()
  return ok({ report: describeReport(kind, version), provision })
}

const describeReport = (kind: 'docker' | 'gvisor', version: string): HandsReport => ({
  driver: kind,
  isolated: true,
  limits: version === '2' ? 'cgroup-v2' : 'cgroup-v1',
  seccomp: true,
  network: 'http',
  remarks: ['Docker itself sets the limits and the system call filter'],
})

const findProblem = async (
  kind: OpenContainerOptions['kind'],
  image: string,
  ask: (args: readonly string[]) => Promise<string>,
): Promise<{ reason: string } | undefined> => {
  const answer = (args: readonly string[]) => ask(args).catch(() => undefined)
  const runtimes = await answer(['info', '--format', '{{json .Runtimes}}'])
  if (runtimes === undefined) return { reason: 'the Docker daemon does not respond' }
  if (kind === 'gvisor' && !runtimes.includes('"runsc"')) {
    return { reason: "gVisor is not one of Docker's runtimes; install it with `runsc install`" }
  }
  const found = await answer(['image', 'inspect', '--format', '{{.Id}}', image])
  if (found === undefined)
    return { reason: `the image ${image} is not on this machine; run \`docker pull ${image}\`` }
  return undefined
}

/** Removes containers of dead servers. */
const removeOrphans = async (
  ask: (args: readonly string[]) => Promise<string>,
  running: Running,
): Promise<void> => {
  const list = await ask(['ps', '--all', '--filter', `label=${LABEL}`, '--format', '{{.Names}}'])
  for (const name of list.split('\n').filter((line) => line !== '')) {
    if (running.isOrphan(name.replace(/^steward-/, '')))
      await ask(['rm', '--force', '--volumes', name])
  }
}

/** The variables that the docker command needs to find its daemon. They are not visible inside. */
const readDockerEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && /^(PATH|HOME|XDG_RUNTIME_DIR|DOCKER_.*)$/.test(name)
        ? [[name, value]]
        : [],
    ),
  )

const execute = promisify(execFile)
const askDocker = async (args: readonly string[]): Promise<string> =>
  (await execute('docker', args)).stdout
