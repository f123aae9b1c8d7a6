import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_PATH } from '@steward/platform'
import type { EgressDecision, EgressOptions } from '../egress/egress.ts'
import { bindsFor, forwarderArgs, NODE_MOUNT } from '../egress/forwarder.ts'
import { openEgress } from '../egress/open-egress.ts'
import { type OwnRegistries, targetsOf } from '../egress/package-registries.ts'
import type { Networking } from '../hands.ts'
import { giveTo, shareWithAll } from '../sandbox/place.ts'
import type { RunOutcome } from '../sandbox/sandbox.ts'
import type { SandboxFactory } from '../surroundings.ts'
import { findToolchain, type Toolchain } from './find-toolchain.ts'
import type { Installer } from './installers.ts'

export interface RunInstallerOptions {
  sessionId: string
  networking: Networking
  factory: SandboxFactory
  registries?: OwnRegistries
  /** Overrides how hosts are reached. */
  reach?: Pick<EgressOptions, 'dial' | 'upstreamCa' | 'limits' | 'onDecision'>
  signal?: AbortSignal
}

/** Where packages are mounted inside, also during installation. */
const PACKAGES_MOUNT = '/opt/packages'

const MINUTES = 20
const OUTPUT_BYTES = 8192
const MISSING_CODE = 97

/** Keeps only the end of the output: that is where the error is, and all of it may be too large. */
const SCRIPT = [
  `command -v "$1" > /dev/null || exit ${MISSING_CODE}`,
  '"$@" > /tmp/said 2>&1 < /dev/null',
  'code=$?',
  `tail -c ${OUTPUT_BYTES / 2} /tmp/said`,
  'exit "$code"',
].join('\n')

/**
 * Runs a package manager into `target`, in a sandbox like a session's: install scripts are under
 * the same limits and reach the same hosts. Returns the error, or `undefined`.
 */
export const runInstaller = async (
  installer: Installer,
  wanted: readonly string[],
  { work, target }: { work: string; target: string },
  options: RunInstallerOptions,
): Promise<string | undefined> => {
  const { sessionId, networking, factory, registries = {}, reach, signal } = options
  await mkdir(target, { mode: 0o755 })
  const refused = new Set<string>()
  const onDecision = (decision: EgressDecision): void => {
    const isLost = !decision.allowed || decision.isUnreached
    if (isLost) refused.add(`${decision.host}: ${decision.reason}`)
    reach?.onDecision?.(decision)
  }
  const toolchain =
    installer.isCompiler && factory.driver === 'bubblewrap'
      ? await findToolchain(installer.command)
      : { binds: [], path: [] }
  const full = new AbortController()
  const egress = await openEgress({
    ...{ ...reach, sessionId, networking, onDecision, registries: targetsOf(registries) },
  })
  try {
    const sandbox = await factory.provision({
      sessionId: `${sessionId}-packages`,
      workspace: join(work, 'session'),
      binds: [
        ...bindsFor(egress),
        { host: target, inside: folderOf(installer), mode: 'rw' },
        ...toolchain.binds,
      ],
      env: { ...egress.env, ...describeEnv(installer, toolchain, registries) },
      ...{ network: 'none', sockets: [], companions: [] },
    })
    const watched = factory.watchDisk(work, ({ bytes }) =>
      full.abort(new Error(`it wrote ${bytes} bytes, more than the limit of a session`)),
    )
    try {
      const registry = registryOf(installer, registries)
      const args = installer.args(wanted, folderOf(installer), registry)
      const command = ['/bin/sh', '-c', SCRIPT, 'install', installer.command, ...args]
      const outcome = await sandbox.run([NODE_MOUNT, ...forwarderArgs(command)], {
        timeoutMs: MINUTES * 60_000,
        maxOutputBytes: OUTPUT_BYTES,
        signal: signal === undefined ? full.signal : AbortSignal.any([signal, full.signal]),
      })
      const reason = explain(outcome, installer)
      // Installers report that a connection failed but cannot say why.
      if (reason !== undefined) return [reason, ...refused].join('\n')
    } finally {
      watched.stop()
      await sandbox.destroy()
    }
  } finally {
    await egress.close()
  }
  if (process.getuid?.() === 0) await giveTo(target, 0)
  await shareWithAll(target)
  return undefined
}

/** Where its packages are mounted inside. */
export const folderOf = ({ manager }: Installer): string => `${PACKAGES_MOUNT}/${manager}`

const registryOf = ({ manager }: Installer, registries: OwnRegistries): URL | undefined => {
  const address = registries[manager]
  return address === undefined ? undefined : new URL(address)
}

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/

const describeEnv = (
  installer: Installer,
  { path }: Toolchain,
  registries: OwnRegistries,
): Record<string, string> => {
  const registry = registryOf(installer, registries)
  return {
    PATH: [...path, DEFAULT_PATH].join(':'),
    ...installer.installEnv?.(folderOf(installer)),
    ...(registry === undefined ? {} : installer.registryEnv?.(registry)),
    // A registry on this machine needs the proxy as well, because the sandbox has its own loopback.
    ...(registry !== undefined && LOOPBACK.test(registry.hostname)
      ? { NO_PROXY: '', no_proxy: '' }
      : {}),
  }
}

const explain = (
  { code, output, timedOut, problem }: RunOutcome,
  { command, remedy }: Installer,
): string | undefined => {
  if (code === 0) return undefined
  if (problem !== undefined) return problem
  if (timedOut) return `it took more than ${MINUTES} minutes`
  const said = Buffer.from(output).toString().trim()
  if (code === MISSING_CODE && said === '') {
    return `${command} is not available to sandboxes on this machine; ${remedy}`
  }
  return lastLines(said) || `it exited with code ${code}`
}

const lastLines = (text: string): string => text.split('\n').slice(-6).join('\n').slice(-1000)
