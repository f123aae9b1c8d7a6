import { join } from 'node:path'
import type { SessionError } from '@steward/contract'
import { DEFAULT_PATH, detectSandbox, type Sandbox } from '@steward/local'
import {
  EGRESS_MOUNT,
  EGRESS_PORT,
  type Egress,
  type EgressDecision,
  type EgressOptions,
} from '../egress/egress.ts'
import { forwarderArgs } from '../egress/forwarder.ts'
import { openEgress } from '../egress/open-egress.ts'
import type { HandsSession } from '../hands.ts'
import { AWAITED_PORT } from '../sandbox/enter.ts'
import type { SandboxSpec } from '../sandbox/sandbox.ts'
import type { Surround } from '../surroundings.ts'
import { type InstalledPackages, installPackages, type PackageFailure } from './install-packages.ts'
import { copyInside, prepareMounts } from './prepare-mounts.ts'

export interface SurroundOptions {
  /** Where installed packages are kept for all sessions. */
  packageCache: string
  /** What went wrong with a session's mounts or packages; the session goes on without them. */
  onError: (sessionId: string, error: SessionError) => void
  onDecision?: (decision: EgressDecision) => void
  /** How hosts are reached, where not by their public addresses. */
  reach?: Pick<EgressOptions, 'dial' | 'upstreamCa' | 'limits'>
  /** What git and installers run in. */
  detect?: typeof detectSandbox
}

/** The Node that forwards inside; the sandbox may have none of its own. */
const NODE_MOUNT = '/run/steward/node'

/**
 * Egress, mounts and packages around a sandbox that isolates. Whatever its networking, a sandbox has
 * no network but the egress: services of this machine can never be reached from inside.
 */
export const createSurround = (options: SurroundOptions): Surround => {
  const { onDecision, detect = detectSandbox } = options
  const reach = { ...options.reach, ...(onDecision === undefined ? {} : { onDecision }) }
  let detected: Promise<Sandbox> | undefined
  const sandbox = () => {
    detected ??= detect().then((found) => {
      if (found.ok) return found.value
      throw found.error
    })
    return detected
  }
  return async (session, folder, signal) => {
    const prepared = await prepareMounts(session.mounts, {
      ...{ sessionId: session.id, folder: join(folder, 'mounts'), sandbox, reach, signal },
    })
    for (const error of prepared.errors) options.onError(session.id, error)
    const installed = await install(session, options, sandbox, reach, signal)
    for (const failure of installed.failures) options.onError(session.id, toError(failure))
    const wayOut = isSealed(session) ? NO_WAY_OUT : await openWayOut(session, reach)
    return {
      parts: {
        network: 'none',
        sockets: [],
        binds: [...wayOut.binds, ...prepared.binds, ...installed.binds],
        env: { ...pathWith(installed.path), ...installed.env, ...wayOut.env },
        companions: wayOut.companions,
      },
      settle: (inside, during) => copyInside(inside, prepared.copies, during),
      close: wayOut.close,
    }
  }
}

type WayOut = Pick<SandboxSpec, 'binds' | 'env' | 'companions'> & Pick<Egress, 'close'>

const NO_WAY_OUT: WayOut = { binds: [], env: {}, companions: [], close: async () => undefined }

/** Where no host may be reached there is nothing to forward, and the sandbox starts without it. */
const isSealed = ({ networking, credentials }: HandsSession): boolean =>
  networking.type === 'limited' &&
  !networking.allowPackageManagers &&
  networking.allowedHosts.length + networking.mcpHosts.length + credentials.length === 0

const openWayOut = async (
  { id: sessionId, networking, credentials }: HandsSession,
  reach: Partial<EgressOptions>,
): Promise<WayOut> => {
  const egress = await openEgress({ ...reach, sessionId, networking, credentials })
  return {
    binds: [
      { host: egress.folder, inside: EGRESS_MOUNT, mode: 'ro' },
      { host: process.execPath, inside: NODE_MOUNT, mode: 'ro' },
    ],
    env: { ...egress.env, [AWAITED_PORT]: String(EGRESS_PORT) },
    companions: [[NODE_MOUNT, ...forwarderArgs()]],
    close: egress.close,
  }
}

const pathWith = (folders: readonly string[]): Record<string, string> =>
  folders.length === 0 ? {} : { PATH: [...folders, DEFAULT_PATH].join(':') }

const NOTHING: InstalledPackages = { binds: [], env: {}, path: [], failures: [] }

const install = async (
  session: HandsSession,
  { packageCache }: SurroundOptions,
  sandbox: () => Promise<Sandbox>,
  reach: Pick<EgressOptions, 'dial' | 'onDecision'>,
  signal: AbortSignal,
): Promise<InstalledPackages> => {
  if (Object.values(session.packages).every((wanted) => wanted.length === 0)) return NOTHING
  const { id: sessionId, networking, packages } = session
  return installPackages(packages, {
    ...{ sessionId, networking, reach, signal, cache: packageCache, sandbox: await sandbox() },
  })
}

const toError = ({ manager, packages, reason }: PackageFailure): SessionError => ({
  type: 'unknown_error',
  message: `${manager} could not install ${packages.join(', ')}: ${reason}`,
  retry_status: { type: 'terminal' },
})
