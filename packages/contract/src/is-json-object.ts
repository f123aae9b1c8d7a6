import { isJsonDeeperThan } from './json-depth.ts'
import { LIMITS } from './limits.ts'

/**
 * Whether a value is a JSON object. In its own file so that browser code can import it without the
 * schemas.
 */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a text as a JSON object; undefined if it is not one. */
export const parseJsonObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && !isJsonDeeperThan(text, LIMITS.storedJsonDepth)
      ? value
      : undefined
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
