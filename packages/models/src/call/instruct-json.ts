/** The instructions for JSON, if the vendor has no stricter way. */
export const instructJson = (schema: Record<string, unknown> | undefined): string => {
  const only = 'Answer with one JSON object and nothing else: no explanation, no code fence.'
  if (schema === undefined) return only
  return `${only}\nThe JSON object must fit this JSON Schema:\n${JSON.stringify(schema)}`
}

/** The instructions for the second and last attempt. */
export const askForRepair = (reason: string): string =>
  `That answer cannot be used: ${reason}. Give the whole answer again as one corrected JSON object, and nothing else.`
