import { z } from 'zod'

export type Json = Record<string, unknown>

/** Moves the named parts of a schema to the document's components, so that references resolve. */
export const hoist = (
  shape: z.ZodType,
  io: 'input' | 'output',
  schemas: Record<string, unknown>,
  unrepresentable: 'throw' | 'any' = 'throw',
): Json => {
  const whole = z.toJSONSchema(shape, {
    io,
    reused: 'inline',
    unrepresentable,
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      delete jsonSchema.id
      // The format already implies the pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  // Input may omit fields with a default, so input and output schemas differ.
  const suffix = io === 'input' ? 'Input' : ''
  const text = JSON.stringify(whole).replaceAll(
    /"#\/\$defs\/(\w+)"/g,
    (_, name: string) => `"#/components/schemas/${name}${suffix}"`,
  )
  const { $schema, $defs = {}, ...schema }: Json = JSON.parse(text)
  for (const [name, part] of Object.entries($defs ?? {})) schemas[`${name}${suffix}`] = part
  return schema
}
