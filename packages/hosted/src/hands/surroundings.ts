import type { Watched } from './disk/disk-watch.ts'
import type { DiskUse } from './disk/measure.ts'
import type { HandsReport, HandsSession, ToolCall, ToolOutcome } from './hands.ts'
import type { Sandbox, SandboxSpec } from './sandbox/sandbox.ts'

/**
 * What stands around a session's sandbox: its egress, its mounts, its packages. It is made before the
 * first call, once for each sandbox, and closed after that sandbox is gone.
 */
export interface ProvisionedSession {
  parts: Pick<SandboxSpec, 'binds' | 'env' | 'network' | 'sockets' | 'companions'>
  /**
   * Runs when the sandbox is there, before the first call. Whatever is written into a place that the
   * session can write to must be written from inside (`sandbox.run`): on the host, a link that the
   * session left there would lead out.
   */
  settle?(sandbox: Sandbox, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** `folder` is the session's own on the host, for what must lie beside the workspace. */
export type ProvisionSession = (
  session: HandsSession,
  folder: string,
  signal: AbortSignal,
  workshop: SandboxFactory,
) => Promise<ProvisionedSession>

/** For what has to be done before there is a session's sandbox: others, under the same limits. */
export interface SandboxFactory {
  driver: HandsReport['driver']
  provision(spec: SandboxSpec): Promise<Sandbox>
  /** Calls back once, when a folder holds more than a session's may. */
  watchDisk(folder: string, onOver: (use: DiskUse) => void): Watched
}

/** A tool that runs beside the sandbox and not in it, such as `web_fetch`. */
export type OutsideTool = (
  session: HandsSession,
  call: ToolCall,
  signal: AbortSignal,
) => Promise<ToolOutcome>

/** Nothing around it: no network, and no more than the workspace. */
export const provisionNothing: ProvisionSession = async () => ({
  parts: { binds: [], env: {}, network: 'none', sockets: [], companions: [] },
  close: async () => undefined,
})
