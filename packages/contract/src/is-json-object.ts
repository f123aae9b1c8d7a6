/**
 * Whether a value is a JSON object. In its own file so that browser code can import it without the
 * schemas.
 */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
