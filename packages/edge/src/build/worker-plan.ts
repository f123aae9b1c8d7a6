import type { Tier, WorkerKind } from '@steward/contract'
import type { WranglerConfiguration } from './wrangler-configuration.ts'

/** A planned worker: everything known before its code is bundled. */
export interface WorkerPlan {
  /** The primitive's name: `A_LABEL_AND_RATE`. */
  name: string
  primitive: WorkerKind
  tier: Tier
  configuration: WranglerConfiguration
  /** Spec 1, Authentication: required secrets. */
  secrets: string[]
  /** Secrets used if set. */
  optionalSecrets: string[]
  /** Whether it needs the network: a sandbox gets it only then. */
  network: boolean
  /** Whether its code opens connections itself. */
  sockets?: boolean
  /** Whether it contains the user's code, which could loop endlessly, and needs its own process. */
  apart?: boolean
  /** The flows that get their calls through it, for the inbox of webhooks. */
  serves?: string[]
  /** The longest duration of one call, for an action. */
  timeoutMs?: number
  /** The text of `src/index.ts`. */
  entry: string
  /** The text of `src/container.ts`, for the sandbox tier. */
  containerEntry?: string
  /** Generated files beside the bundles, by path in the worker's directory. */
  files: Readonly<Record<string, string>>
  /** The folder that `steward:NAME/file` in the entries refers to: the action's. */
  folder?: string
  /** The action's module in that folder; it must export `execute`. */
  module?: string
}

/** A primitive that stays on this machine, and why. */
export interface SkippedPrimitive {
  name: string
  reason: string
}
