import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '@steward/contract'
import { DEFAULT_PATH, findCommand, type Sandbox } from '@steward/local'
import type { EgressDecision, EgressOptions } from '../egress/egress.ts'
import { runThrough } from '../egress/run-through.ts'
import type { Networking, PackageManager, Packages } from '../hands.ts'
import type { SandboxBind } from '../sandbox/sandbox.ts'
import { INSTALLERS, type Installer } from './installers.ts'

export interface InstallOptions {
  sessionId: string
  /** Where installed packages are kept, for all environments that want the same. */
  cache: string
  networking: Networking
  sandbox: Sandbox
  reach?: Pick<EgressOptions, 'dial' | 'onDecision'>
  /** More of the environment of installers. */
  env?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export interface PackageFailure {
  manager: PackageManager
  packages: readonly string[]
  reason: string
}

export interface InstalledPackages {
  binds: SandboxBind[]
  env: Record<string, string>
  /** Folders of programs, to be put before PATH. */
  path: string[]
  failures: PackageFailure[]
}

/** Where installed packages lie inside. */
const PACKAGES_MOUNT = '/opt/packages'

const TIMEOUT_MS = 20 * 60_000
const running = new Map<string, Promise<string | undefined>>()

/**
 * Installs what an environment lists, one manager after the other in alphabetical order, through an
 * egress and in a sandbox of its own. What is installed already is taken from the cache; what fails is
 * told and does not stop the others.
 */
export const installPackages = async (
  packages: Packages,
  options: InstallOptions,
): Promise<InstalledPackages> => {
  const installed: InstalledPackages = { binds: [], env: {}, path: [], failures: [] }
  for (const installer of INSTALLERS) {
    const { manager } = installer
    const wanted = packages[manager]
    if (wanted.length === 0) continue
    const place = join(options.cache, `${manager}-${keyOf(manager, wanted)}`)
    const install = () => installOnce(installer, wanted, place, options)
    const reason = await installTogether(place, install, options.signal)
    if (reason !== undefined) {
      installed.failures.push({ manager, packages: wanted, reason })
      continue
    }
    const inside = `${PACKAGES_MOUNT}/${manager}`
    installed.binds.push({ host: place, inside, mode: 'ro' })
    installed.path.push(`${inside}/bin`)
    Object.assign(installed.env, installer.env(inside))
  }
  return installed
}

/** Sessions that want the same wait for the one that began; when that one is released, another begins. */
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

/** What went wrong, or nothing. The place is there afterwards only if everything went well. */
const installOnce = async (
  installer: Installer,
  wanted: readonly string[],
  place: string,
  { sessionId, cache, networking, sandbox, reach, env, signal }: InstallOptions,
): Promise<string | undefined> => {
  if (
    await stat(place).then(
      () => true,
      () => false,
    )
  )
    return undefined
  if (installer.unavailable !== undefined) return installer.unavailable
  if (networking.type === 'limited' && !networking.allowPackageManagers) {
    return 'the environment is limited and does not set allow_package_managers'
  }
  const bad = wanted.find((name) => name.startsWith('-') || /[\s\0]/.test(name))
  if (bad !== undefined) return `${JSON.stringify(bad)} is no name of a package`
  const command = findCommand(installer.command, DEFAULT_PATH)
  if (!command.ok) return `${installer.command} is not installed on this machine`
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(`${place}.`)
  try {
    const target = join(work, 'installed')
    await mkdir(target, { mode: 0o755 })
    const refused = new Set<string>()
    const onDecision = (decision: EgressDecision): void => {
      if (!decision.allowed) refused.add(`${decision.host}: ${decision.reason}`)
      reach?.onDecision?.(decision)
    }
    const { code, stdout, stderr, timedOut } = await runThrough(
      () => [command.value, ...installer.args(wanted, target)],
      {
        sandbox,
        cwd: work,
        env: { PATH: DEFAULT_PATH, LANG: 'C.UTF-8', ...installer.installEnv?.(target), ...env },
        timeoutMs: TIMEOUT_MS,
        egress: { ...reach, sessionId, networking, onDecision },
        ...(signal === undefined ? {} : { signal }),
      },
    )
    if (timedOut) return `it took more than ${TIMEOUT_MS} ms`
    if (code !== 0) {
      const said = lastLines(`${stdout}\n${stderr}`) || `it ended with code ${code}`
      // Installers say that they were refused and cannot say why.
      return [said, ...refused].join('\n')
    }
    await rename(target, place)
    return undefined
  } catch (thrown) {
    signal?.throwIfAborted()
    return reasonOf(thrown)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const keyOf = (manager: PackageManager, wanted: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([manager, process.arch, wanted]))
    .digest('hex')
    .slice(0, 32)

const lastLines = (text: string): string =>
  text.trim().split('\n').slice(-6).join('\n').slice(-1000)
