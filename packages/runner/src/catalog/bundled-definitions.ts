import type { FlowEntry } from '@steward/contract'
import type { ParsedPipeline } from '@steward/engine'

/** A definition of the library that was read and checked when the program was built. */
export interface BundledDefinition<T> {
  /** What it was read from: another text is read and checked anew. */
  text: string
  read: () => T
}

/** By the path below `pipelines`. Empty when the program runs from its sources; the build fills this in. */
export const BUNDLED_PIPELINES: Readonly<Record<string, BundledDefinition<ParsedPipeline>>> = {}

/** By the path below `flows`. */
export const BUNDLED_FLOWS: Readonly<Record<string, BundledDefinition<FlowEntry[]>>> = {}

/** A bundled definition that was read from this very text. */
export const findBundled = <T>(
  bundled: Readonly<Record<string, BundledDefinition<T>>>,
  path: string,
  text: string,
): T | undefined => {
  const found = Object.hasOwn(bundled, path) ? bundled[path] : undefined
  return found?.text === text ? found.read() : undefined
}
