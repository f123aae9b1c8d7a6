import type { Tier, WorkerKind } from '@steward/contract'
import type { WranglerConfiguration } from './wrangler-configuration.ts'

/** One worker to be: all that is known of it before its code is bundled. */
export interface WorkerPlan {
  /** The primitive's name: `A_LABEL_AND_RATE`. */
  name: string
  primitive: WorkerKind
  tier: Tier
  configuration: WranglerConfiguration
  /** Spec 1, Authentication: what the worker cannot do without. */
  secrets: string[]
  /** What it uses when it is set. */
  optionalSecrets: string[]
  /** Whether it has to reach others: a sandbox is given the network only then. */
  network: boolean
  /** The text of `src/index.ts`. */
  entry: string
  /** The text of `src/container.ts`, for the sandbox tier. */
  containerEntry?: string
  /** Generated files beside the bundles, by path in the worker's directory. */
  files: Readonly<Record<string, string>>
  /** Where `steward:NAME/file` of the entries leads: the folder of the action. */
  folder?: string
}

/** A primitive that stays on this machine, and why. */
export interface SkippedPrimitive {
  name: string
  reason: string
}
