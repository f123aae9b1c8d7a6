import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '@steward/contract'
import { DEFAULT_PATH, findCommand } from '@steward/platform'
import { allowsPackages } from '../egress/package-registries.ts'
import type { Networking, PackageManager, Packages } from '../hands.ts'
import { deletePlace } from '../sandbox/place.ts'
import type { SandboxBind } from '../sandbox/sandbox.ts'
import { INSTALLERS, type Installer } from './installers.ts'
import type { HeldPackages, PackageCache } from './package-cache.ts'
import { folderOf, type RunInstallerOptions, runInstaller } from './run-installer.ts'

export interface InstallOptions extends RunInstallerOptions {
  cache: PackageCache
}

export interface PackageFailure {
  manager: PackageManager
  packages: readonly string[]
  reason: string
}

export interface InstalledPackages {
  binds: SandboxBind[]
  env: Record<string, string>
  /** Program folders to prepend to PATH. */
  path: string[]
  failures: PackageFailure[]
  /** The packages stay in the cache at least until released. */
  release(): Promise<void>
}

const running = new Map<string, Promise<string | undefined>>()

/**
 * Installs an environment's packages, one manager after the other in alphabetical order, through an
 * egress and in a separate sandbox. Installed packages come from the cache; a failure is reported
 * and does not stop the others.
 */
export const installPackages = async (
  packages: Packages,
  options: InstallOptions,
): Promise<InstalledPackages> => {
  const held: HeldPackages[] = []
  const release = async (): Promise<void> => {
    for (const each of held.splice(0)) await each.release()
  }
  const installed: InstalledPackages = { binds: [], env: {}, path: [], failures: [], release }
  try {
    for (const installer of INSTALLERS) {
      const { manager } = installer
      const wanted = packages[manager]
      if (wanted.length === 0) continue
      const fail = (reason: string) =>
        installed.failures.push({ manager, packages: wanted, reason })
      const refusal = refusalOf(installer, wanted, options.networking)
      if (refusal !== undefined) {
        fail(refusal)
        continue
      }
      const name = await nameFor(installer, wanted, options)
      const mine = await options.cache.hold(name)
      const install = () => installOnce(installer, wanted, { name, mine }, options)
      const reason = await installTogether(mine.folder, install, options.signal).catch(
        async (thrown: unknown) => {
          await mine.release()
          throw thrown
        },
      )
      if (reason !== undefined) {
        await mine.release()
        fail(reason)
        continue
      }
      held.push(mine)
      const inside = folderOf(installer)
      installed.binds.push({ host: mine.folder, inside, mode: 'ro' })
      installed.path.push(`${inside}/bin`)
      Object.assign(installed.env, installer.env(inside))
    }
    return installed
  } catch (thrown) {
    await release()
    throw thrown
  }
}

const refusalOf = (
  { unavailable }: Installer,
  wanted: readonly string[],
  networking: Networking,
): string | undefined => {
  if (unavailable !== undefined) return unavailable
  if (!allowsPackages(networking)) {
    return 'the environment is limited and does not set allow_package_managers'
  }
  const bad = wanted.find((name) => name.startsWith('-') || /[\s\0]/.test(name))
  return bad === undefined ? undefined : `${JSON.stringify(bad)} is not a package name`
}

/**
 * Sessions that need the same packages wait for the first one to install them; if that one is
 * aborted, another starts.
 */
const installTogether = async (
  place: string,
  install: () => Promise<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> => {
  for (let others = running.get(place); others !== undefined; others = running.get(place)) {
    try {
      return await others
    } catch {
      signal?.throwIfAborted()
    }
  }
  const mine = install().finally(() => running.delete(place))
  running.set(place, mine)
  return mine
}

/** Returns the error, or `undefined`. The packages are cached only after complete success. */
const installOnce = async (
  installer: Installer,
  wanted: readonly string[],
  { name, mine }: { name: string; mine: HeldPackages },
  options: InstallOptions,
): Promise<string | undefined> => {
  if (await mine.isThere()) return undefined
  const work = await options.cache.makeWork()
  try {
    const target = join(work, 'installed')
    const reason = await runInstaller(installer, wanted, { work, target }, options)
    if (reason === undefined) await options.cache.keep(name, target)
    return reason
  } catch (thrown) {
    options.signal?.throwIfAborted()
    return reasonOf(thrown)
  } finally {
    await deletePlace(work)
  }
}

/** The cache key includes the registry and the version of the program that runs the packages. */
const nameFor = async (
  { manager, runtime }: Installer,
  wanted: readonly string[],
  { registries = {}, factory: { driver } }: InstallOptions,
): Promise<string> => {
  const runs = driver === 'bubblewrap' && runtime !== undefined ? await identify(runtime) : ''
  const parts = [manager, process.arch, driver, runs, registries[manager] ?? '', wanted]
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${manager}-${hash.slice(0, 32)}`
}

const identify = async (program: string): Promise<string> => {
  const found = findCommand(program, DEFAULT_PATH)
  if (!found.ok) return ''
  const real = await realpath(found.value)
  const { size, mtimeMs } = await stat(real)
  return `${real} ${size} ${mtimeMs}`
}
