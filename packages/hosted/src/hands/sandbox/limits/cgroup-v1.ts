import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Limiter, SandboxLimits } from './limits.ts'
import { removeGroup } from './remove-group.ts'

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const
type Controller = (typeof CONTROLLERS)[number]
const PERIOD_US = 100_000

export interface CgroupV1Options {
  /** The name of this server's group in each hierarchy. */
  name: string
  own: ReadonlyMap<string, string>
  mounts: ReadonlyMap<string, string>
}

/**
 * The older control groups, with one hierarchy per controller. Only root can create groups there.
 */
export const createCgroupV1 = async (options: CgroupV1Options): Promise<Limiter | undefined> => {
  const bases = CONTROLLERS.flatMap((controller) => {
    const mount = options.mounts.get(controller)
    if (mount === undefined) return []
    return [{ controller, folder: join(mount, options.own.get(controller) ?? '/', options.name) }]
  })
  if (bases.length < CONTROLLERS.length) return undefined
  for (const { folder } of bases) await mkdir(folder, { recursive: true })

  return {
    kind: 'cgroup-v1',
    remarks: [],
    folders: bases.map(({ folder }) => folder),
    create: async (name, limits) => {
      const folders = bases.map(({ folder }) => join(folder, name))
      for (const { controller, folder } of bases) {
        const group = join(folder, name)
        await mkdir(group, { recursive: true })
        for (const [file, value] of settings(controller, limits)) {
          // Only some kernels count swap.
          if (file.includes('memsw') && !existsSync(join(group, file))) continue
          await writeFile(join(group, file), value)
        }
      }
      return {
        entries: folders.map((folder) => join(folder, 'cgroup.procs')),
        folders,
        remove: async () => {
          for (const folder of folders) await removeGroup(folder)
        },
      }
    },
    close: async () => {
      for (const { folder } of bases) await removeGroup(folder)
    },
  }
}

const settings = (controller: Controller, limits: SandboxLimits): Array<[string, string]> => {
  if (controller === 'pids') return [['pids.max', String(limits.processes)]]
  if (controller === 'cpu') {
    return [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(Math.ceil(limits.cpus * PERIOD_US))],
    ]
  }
  return [
    ['memory.limit_in_bytes', String(limits.memoryBytes)],
    ['memory.memsw.limit_in_bytes', String(limits.memoryBytes)],
  ]
}
