/** An action of the library as the program was built with it. */
export interface BundledAction {
  /** The hash of its source files: another hash means that they changed since. */
  hash: string
  /** Its module, bundled with everything that it imports; missing if the library has it so. */
  file?: string
}

/** By name. Empty when the program runs from source; the build fills this in. */
export const BUNDLED_ACTIONS: Readonly<Record<string, BundledAction>> = {}
