import { join } from 'node:path'
import { type SessionError, type StewardError, toStewardError } from '@steward/contract'
import { DEFAULT_PATH, detectSandbox, type Sandbox } from '@steward/platform'
import {
  EGRESS_PORT,
  type Egress,
  type EgressDecision,
  type EgressOptions,
} from '../egress/egress.ts'
import { bindsFor, resolverBind } from '../egress/forwarder.ts'
import { openEgress } from '../egress/open-egress.ts'
import { allowsPackages, type OwnRegistries, targetsOf } from '../egress/package-registries.ts'
import { createRefusalNotes } from '../egress/refusal-notes.ts'
import { forwarderBeside } from '../egress/small-forwarder.ts'
import type { HandsSession } from '../hands.ts'
import { installPackages, type PackageFailure } from '../packages/install-packages.ts'
import { INSTALLERS } from '../packages/installers.ts'
import type { PackageCache } from '../packages/package-cache.ts'
import { AWAITED_PORT } from '../sandbox/enter.ts'
import type { SandboxSpec } from '../sandbox/sandbox.ts'
import type { ProvisionSession, SandboxFactory } from '../surroundings.ts'
import { syncMemory } from './mount-memory.ts'
import { copyInside, prepareMounts } from './prepare-mounts.ts'

export interface ProvisionOptions {
  /** Installed packages shared by all sessions. */
  packageCache: PackageCache
  /** Used instead of the public ones. */
  registries?: OwnRegistries
  /** Reports failed mounts or packages; the session continues without them. */
  onError: (sessionId: string, error: SessionError) => void
  onDecision?: (decision: EgressDecision) => void
  /** Overrides how hosts are reached. */
  reach?: Pick<EgressOptions, 'dial' | 'resolve' | 'upstreamCa' | 'limits'>
  /** Detects the sandbox in which git runs. */
  detect?: typeof detectSandbox
  /** Receives failures of background work. */
  report?: (error: StewardError) => void
}

/**
 * Egress, mounts and packages of an isolated sandbox. A sandbox has no network but the egress, so
 * services of this machine can never be reached from inside.
 */
export const createProvisionSession = (options: ProvisionOptions): ProvisionSession => {
  const { onDecision, detect = detectSandbox, registries = {}, packageCache } = options
  const reach = { ...options.reach, ...(onDecision === undefined ? {} : { onDecision }) }
  const makeRoom = (): void =>
    void packageCache
      .makeRoom()
      .catch((thrown: unknown) => options.report?.(toStewardError(thrown)))
  let detected: Promise<Sandbox> | undefined
  const sandbox = () => {
    detected ??= detect().then((found) => {
      if (found.ok) return found.value
      throw found.error
    })
    return detected
  }
  return async (session, folder, signal, factory) => {
    const prepared = await prepareMounts(session.mounts, {
      ...{ sessionId: session.id, folder: join(folder, 'mounts'), sandbox, reach, signal },
    })
    for (const error of prepared.errors) options.onError(session.id, error)
    const { id: sessionId, networking } = session
    const installed = await installPackages(session.packages, {
      ...{ sessionId, networking, factory, registries, reach, signal, cache: packageCache },
    })
    if (installed.binds.length > 0) makeRoom()
    for (const failure of installed.failures) options.onError(session.id, toError(failure))
    const refusals = createRefusalNotes()
    const heard = {
      ...reach,
      onDecision: (decision: EgressDecision): void => {
        refusals.hear(decision)
        onDecision?.(decision)
      },
    }
    const wayOut = await openWayOut(session, heard, registries, factory).catch(
      async (thrown: unknown) => {
        await installed.release()
        throw thrown
      },
    )
    return {
      parts: {
        network: wayOut.network,
        sockets: [],
        binds: [...wayOut.binds, ...prepared.binds, ...installed.binds],
        env: { ...pathWith(installed.path), ...installed.env, ...wayOut.env },
        companions: wayOut.companions,
      },
      settle: async (inside, during) => {
        await copyInside(inside, prepared.copies, during)
        // Changes that a killed server did not save yet.
        for (const memory of prepared.memories) await syncMemory(memory, inside, during)
      },
      sync: async (inside, during) => {
        const notes = prepared.notes.splice(0)
        for (const memory of prepared.memories)
          notes.push(...(await syncMemory(memory, inside, during)))
        return [...notes, ...refusals.take()]
      },
      close: async () => {
        await wayOut.close()
        await installed.release()
        if (installed.binds.length > 0) makeRoom()
      },
    }
  }
}

type WayOut = Pick<SandboxSpec, 'binds' | 'env' | 'companions' | 'network'> & Pick<Egress, 'close'>

const NO_WAY_OUT: WayOut = {
  ...{ binds: [], env: {}, companions: [], network: 'none' },
  close: async () => undefined,
}

/**
 * Without reachable hosts there is nothing to forward, so the sandbox starts without a forwarder.
 */
const isSealed = ({ networking, credentials }: HandsSession): boolean =>
  networking.type === 'limited' &&
  !networking.allowPackageManagers &&
  networking.allowedHosts.length + networking.mcpHosts.length + credentials.length === 0

const openWayOut = async (
  session: HandsSession,
  reach: Partial<EgressOptions>,
  registries: OwnRegistries,
  { driver, network }: SandboxFactory,
): Promise<WayOut> => {
  if (isSealed(session)) return NO_WAY_OUT
  const { id: sessionId, networking, credentials } = session
  const egress = await openEgress({
    ...{ ...reach, sessionId, networking, credentials, registries: targetsOf(registries) },
  })
  const isRedirected = network === 'tcp'
  return {
    network: isRedirected ? 'redirected' : 'none',
    binds: [...bindsFor(egress), ...(isRedirected ? [resolverBind(egress)] : [])],
    env: {
      ...egress.env,
      ...(allowsPackages(networking) ? describeRegistries(registries) : {}),
      [AWAITED_PORT]: String(EGRESS_PORT),
    },
    companions: [forwarderBeside(driver, isRedirected)],
    close: egress.close,
  }
}

const pathWith = (folders: readonly string[]): Record<string, string> =>
  folders.length === 0 ? {} : { PATH: [...folders, DEFAULT_PATH].join(':') }

/** Programs that the session itself runs use these registries too. */
const describeRegistries = (registries: OwnRegistries): Record<string, string> =>
  Object.assign(
    {},
    ...INSTALLERS.map(({ manager, registryEnv }) => {
      const address = registries[manager]
      return address === undefined ? {} : registryEnv?.(new URL(address))
    }),
  )

const toError = ({ manager, packages, reason }: PackageFailure): SessionError => ({
  type: 'unknown_error',
  message: `${manager} could not install ${packages.join(', ')}: ${reason}`,
  retry_status: { type: 'terminal' },
})
