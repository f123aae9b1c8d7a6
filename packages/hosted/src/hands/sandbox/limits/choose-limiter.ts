import { readFile } from 'node:fs/promises'
import { createCgroupV1 } from './cgroup-v1.ts'
import { createCgroupV2 } from './cgroup-v2.ts'
import type { Limiter } from './limits.ts'
import { parseCgroupMounts, parseOwnCgroups } from './own-cgroups.ts'

export interface ChooseLimiterOptions {
  /** Identifies this server on the machine. */
  name: string
  /** Lets tests force a kind that this machine would not choose. */
  only?: Limiter['kind']
  read?: (path: string) => Promise<string>
}

/** The best kind that machine and privileges allow: v2, then v1, then process limits. */
export const chooseLimiter = async (options: ChooseLimiterOptions): Promise<Limiter> => {
  const { name, only, read = (path: string) => readFile(path, 'utf8') } = options
  const reasons: string[] = []
  const attempt = async (make: () => Promise<Limiter | undefined>) => {
    try {
      return await make()
    } catch (thrown) {
      reasons.push(thrown instanceof Error ? thrown.message : String(thrown))
      return undefined
    }
  }
  const place = await attempt(async () => {
    const own = parseOwnCgroups(await read('/proc/self/cgroup'))
    const mounts = parseCgroupMounts(await read('/proc/self/mounts'))
    const wanted = { name, own, mounts }
    const v2 = only === undefined || only === 'cgroup-v2'
    const v1 = only === undefined || only === 'cgroup-v1'
    return (
      (v2 ? await attempt(() => createCgroupV2(wanted)) : undefined) ??
      (v1 ? await attempt(() => createCgroupV1(wanted)) : undefined)
    )
  })
  return place ?? createRlimitsOnly(reasons)
}

/** Every sandbox sets process limits; without control groups there is nothing more. */
const createRlimitsOnly = (reasons: readonly string[]): Limiter => ({
  kind: 'rlimits',
  remarks: [
    'control groups are unavailable, so memory is limited per process and not per session,' +
      ' and CPU is not limited; run the server as root or under systemd with Delegate=yes' +
      (reasons.length === 0 ? '' : ` (${reasons.join('; ')})`),
  ],
  folders: [],
  create: async () => ({ entries: [], folders: [], remove: async () => undefined }),
  close: async () => undefined,
})
