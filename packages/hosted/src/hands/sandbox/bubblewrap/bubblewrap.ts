import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  chooseStage,
  countsProcessesApart,
  DEFAULT_PATH,
  describeBubblewrap,
  type InstalledBubblewrap,
  launchBubblewrap,
  type StartTimer,
} from '@steward/platform'
import { describeEntrance } from '../enter.ts'
import type { Limiter, LimitGroup, SandboxLimits } from '../limits/limits.ts'
import { createPlace, giveTo } from '../place.ts'
import { runToEnd } from '../run-to-end.ts'
import type { Running } from '../running.ts'
import { INSIDE, type Sandbox, type SandboxBind, type SandboxSpec } from '../sandbox.ts'
import { startRecorded } from '../start-recorded.ts'
import { describeProfile } from './profile.ts'

export interface BubblewrapOptions {
  installed: InstalledBubblewrap
  limiter: Limiter
  running: Running
  seccomp: Uint8Array | undefined
  /** The session's user on the host; `undefined` for this process's own. */
  ownerOf: (sessionId: string) => number | undefined
  /** Files of every sandbox, such as its list of users. */
  systemBinds: readonly SandboxBind[]
  startTimer?: StartTimer
  /** Sets up the network of a `redirected` sandbox; absent if that does not work here. */
  redirect?: { setUp: readonly string[]; isRoot: boolean }
}

const ALONE_BYTES = 512 * 1024 ** 2

/**
 * A sandbox of Linux namespaces. Each program started in it gets its own namespaces over the same
 * files, under the session's shared limits; the shell and its children share one.
 */
export const provisionBubblewrap = async (
  given: SandboxSpec,
  limits: SandboxLimits,
  options: BubblewrapOptions,
): Promise<Sandbox> => {
  const spec = { ...given, binds: [...options.systemBinds, ...given.binds] }
  const owner = options.ownerOf(spec.sessionId)
  await createPlace(spec.workspace, owner)
  if (owner !== undefined) {
    for (const { host, mode } of spec.binds) if (mode === 'rw') await giveTo(host, owner)
  }
  const staged = owner === undefined ? undefined : stagePaths(spec, owner)
  const group = await options.limiter.create(nameGroup(spec), limits)
  for (const folder of group.folders) options.running.addGroup(folder)
  const alive = new Set<{ kill(): Promise<void> }>()

  const start: Sandbox['start'] = (argv, startOptions = {}) => {
    const isRedirected = spec.network === 'redirected' && startOptions.companions === true
    const network = isRedirected ? options.redirect : undefined
    const profile = describeProfile(spec, startOptions, {
      ownNetwork: network !== undefined,
      find: (host) => staged?.paths.get(host) ?? host,
      sharedMemoryBytes: limits.sharedMemoryBytes,
      withFilter: options.seccomp !== undefined,
    })
    const alone = startOptions.limits === 'process'
    const entrance = describeEntrance(argv, {
      limits: alone
        ? { ...limits, memoryBytes: Math.min(limits.memoryBytes, ALONE_BYTES) }
        : limits,
      limitProcesses: owner !== undefined || countsProcessesApart(),
      limitMemory: alone || options.limiter.kind === 'rlimits',
      companions: startOptions.companions === true ? spec.companions : [],
    })
    const { bwrap, features } = options.installed
    const launch = launchBubblewrap([...describeBubblewrap(profile, features), '--', ...entrance], {
      bwrap,
      limitEntries: alone ? [] : group.entries,
      ...(staged === undefined ? {} : { staged }),
      ...(network === undefined ? {} : { network }),
    })
    const started = startRecorded(launch, {
      running: options.running,
      env: { PATH: DEFAULT_PATH },
      withStatus: true,
      // An empty one is needed too: the launch leaves its descriptor open, which must be ours then.
      filter: options.seccomp ?? new Uint8Array(),
    })
    alive.add(started)
    void started.exited.then(() => alive.delete(started))
    return started
  }

  return {
    paths: INSIDE,
    start,
    run: (argv, runOptions) =>
      runToEnd(() => start(argv, runOptions), runOptions, options.startTimer),
    destroy: async () => {
      await Promise.all([...alive].map((started) => started.kill()))
      await removeLimits(group, options.running)
    },
  }
}

const removeLimits = async (group: LimitGroup, running: Running): Promise<void> => {
  await group.remove()
  for (const folder of group.folders) running.removeGroup(folder)
}

/**
 * A new name each time, because a session's old group may still be in removal when the next is
 * created.
 */
const nameGroup = (() => {
  let count = 0
  return (spec: SandboxSpec): string => {
    count += 1
    return `${spec.sessionId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)}-${count}`
  }
})()

const stagePaths = (spec: SandboxSpec, owner: number) => {
  const hosts = [
    spec.workspace,
    ...spec.binds.map(({ host }) => host),
    ...spec.sockets.map(({ host }) => host),
  ]
  const stage = chooseStage([...hosts, dirname(spec.workspace)], existsSync)
  if (stage === undefined) {
    throw new Error(`no folder is free to stage ${hosts.join(', ')} in`)
  }
  const paths = new Map(hosts.map((host, index) => [host, `${stage}/${index}`]))
  return { owner, stage, paths }
}
