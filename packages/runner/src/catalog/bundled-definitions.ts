import type { ActionManifestV2, FlowEntry } from '@steward/contract'
import type { ParsedPipeline } from '@steward/engine'

/** A definition of the library that was parsed and validated when the program was built. */
export interface BundledDefinition<T> {
  /** The text it was parsed from: another text is parsed and validated again. */
  text: string
  read: () => T
}

/** By path below `pipelines`. Empty when the program runs from source; the build fills this in. */
export const BUNDLED_PIPELINES: Readonly<Record<string, BundledDefinition<ParsedPipeline>>> = {}

/** By path below `actions`. */
export const BUNDLED_MANIFESTS: Readonly<Record<string, BundledDefinition<ActionManifestV2>>> = {}

/** By path below `flows`. */
export const BUNDLED_FLOWS: Readonly<Record<string, BundledDefinition<FlowEntry[]>>> = {}

/** A bundled definition that was parsed from exactly this text. */
export const findBundled = <T>(
  bundled: Readonly<Record<string, BundledDefinition<T>>>,
  path: string,
  text: string,
): T | undefined => {
  const found = Object.hasOwn(bundled, path) ? bundled[path] : undefined
  return found?.text === text ? found.read() : undefined
}
