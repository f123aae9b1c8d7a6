import type { ActionManifestV2 } from '@steward/contract'

/** An action bundled with the program. */
export interface BundledAction {
  /** The hash of its source files: another hash means that they changed since. */
  hash: string
  load: () => Promise<unknown>
  /** Validated when the program was built; missing if it is invalid. */
  manifest?: () => ActionManifestV2
}

/**
 * Actions of the library that are bundled with the program: none when it runs from source. The
 * build fills this in.
 */
export const BUNDLED_ACTIONS: Readonly<Record<string, BundledAction>> = {}
