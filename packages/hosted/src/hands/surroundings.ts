import type { Watched } from './disk/disk-watch.ts'
import type { DiskUse } from './disk/measure.ts'
import type { HandsReport, HandsSession, ToolCall, ToolOutcome } from './hands.ts'
import type { Sandbox, SandboxSpec } from './sandbox/sandbox.ts'

/**
 * The surroundings of a session's sandbox: egress, mounts and packages. Created before the first
 * call, once per sandbox, and closed after that sandbox is gone.
 */
export interface ProvisionedSession {
  parts: Pick<SandboxSpec, 'binds' | 'env' | 'network' | 'sockets' | 'companions'>
  /**
   * Runs when the sandbox exists, before the first call. Writes to a place that the session can
   * write to must happen inside (`sandbox.run`): on the host, a link left by the session would lead
   * outside.
   */
  settle?(sandbox: Sandbox, signal: AbortSignal): Promise<void>
  /** Runs after each call; returns notes for the model. */
  sync?(sandbox: Sandbox, signal: AbortSignal): Promise<string[]>
  close(): Promise<void>
}

/** `folder` is the session's folder on the host, for files beside the workspace. */
export type ProvisionSession = (
  session: HandsSession,
  folder: string,
  signal: AbortSignal,
  factory: SandboxFactory,
) => Promise<ProvisionedSession>

/** Creates helper sandboxes under the same limits, for work before the session's sandbox exists. */
export interface SandboxFactory {
  driver: HandsReport['driver']
  network: HandsReport['network']
  provision(spec: SandboxSpec): Promise<Sandbox>
  /** Calls back once when a folder exceeds the session's disk limit. */
  watchDisk(folder: string, onOver: (use: DiskUse) => void): Watched
}

/** A tool that runs outside the sandbox, such as `web_fetch`. */
export type OutsideTool = (
  session: HandsSession,
  call: ToolCall,
  signal: AbortSignal,
) => Promise<ToolOutcome>

/** No surroundings: no network and only the workspace. */
export const provisionNothing: ProvisionSession = async () => ({
  parts: { binds: [], env: {}, network: 'none', sockets: [], companions: [] },
  close: async () => undefined,
})
