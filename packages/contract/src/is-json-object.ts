/** Whether a value is a JSON object. Alone in its file: a browser that needs this needs no schemas. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
