import type { ActionManifestV2 } from '@steward/contract'

/** An action that is part of the program. */
export interface BundledAction {
  /** Of the files it was made from: another hash means that they were changed since. */
  hash: string
  load: () => Promise<unknown>
  /** Checked when the program was built; missing for one that is not valid. */
  manifest?: () => ActionManifestV2
}

/** Actions of the library that are part of the program: none when it runs from its sources. The build fills this in. */
export const BUNDLED_ACTIONS: Readonly<Record<string, BundledAction>> = {}
