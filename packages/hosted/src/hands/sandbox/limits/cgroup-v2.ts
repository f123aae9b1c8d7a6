import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Limiter, SandboxLimits } from './limits.ts'
import { removeGroup } from './remove-group.ts'

const CONTROLLERS = ['cpu', 'memory', 'pids']
const PERIOD_US = 100_000
/**
 * This process moves here when its own group must be empty: only leaf groups may hold processes.
 */
const LEAF = 'steward-server'

export interface CgroupV2Options {
  name: string
  own: ReadonlyMap<string, string>
  mounts: ReadonlyMap<string, string>
  pid?: number
}

/**
 * The current control groups. Root may create groups anywhere; other users only where systemd
 * delegated a subtree to the service (`Delegate=yes`) and no other process is in it.
 */
export const createCgroupV2 = async (options: CgroupV2Options): Promise<Limiter | undefined> => {
  const mount = options.mounts.get('')
  const own = options.own.get('')
  if (mount === undefined || own === undefined) return undefined
  const above = join(mount, own)
  if (!(await hasAll(join(above, 'cgroup.controllers')))) return undefined
  if (!(await delegate(above, options.pid ?? process.pid))) return undefined
  const base = join(above, options.name)
  await mkdir(base, { recursive: true })
  await writeFile(join(base, 'cgroup.subtree_control'), enabling)

  return {
    kind: 'cgroup-v2',
    remarks: [],
    folders: [base],
    create: async (name, limits) => {
      const group = join(base, name)
      await mkdir(group, { recursive: true })
      for (const [file, value] of settings(limits)) {
        // Only some kernels count swap.
        if (file.includes('swap') && !existsSync(join(group, file))) continue
        await writeFile(join(group, file), value)
      }
      return {
        entries: [join(group, 'cgroup.procs')],
        folders: [group],
        remove: () => removeGroup(group),
      }
    },
    close: () => removeGroup(base),
  }
}

const enabling = CONTROLLERS.map((name) => `+${name}`).join(' ')

const hasAll = async (file: string): Promise<boolean> => {
  if (!existsSync(file)) return false
  const names = (await readFile(file, 'utf8')).trim().split(/\s+/)
  return CONTROLLERS.every((name) => names.includes(name))
}

/**
 * Delegates the controllers to groups below, moving this process out of the way if it is alone
 * there.
 */
const delegate = async (above: string, pid: number): Promise<boolean> => {
  const control = join(above, 'cgroup.subtree_control')
  if (await hasAll(control)) return true
  const members = (await readFile(join(above, 'cgroup.procs'), 'utf8')).trim().split('\n')
  // The root group may hold both processes and groups; it has no `cgroup.type` file.
  const isRoot = !existsSync(join(above, 'cgroup.type'))
  if (!isRoot && (members.length !== 1 || members[0] !== String(pid))) return false
  const leaf = join(above, LEAF)
  if (!isRoot) {
    await mkdir(leaf, { recursive: true })
    await writeFile(join(leaf, 'cgroup.procs'), String(pid))
  }
  try {
    await writeFile(control, enabling)
    return true
  } catch (thrown) {
    if (isRoot) throw thrown
    await writeFile(join(above, 'cgroup.procs'), String(pid))
    await rmdir(leaf)
    throw thrown
  }
}

const settings = (limits: SandboxLimits): Array<[string, string]> => [
  ['cpu.max', `${Math.ceil(limits.cpus * PERIOD_US)} ${PERIOD_US}`],
  ['memory.max', String(limits.memoryBytes)],
  ['memory.swap.max', '0'],
  ['pids.max', String(limits.processes)],
]
