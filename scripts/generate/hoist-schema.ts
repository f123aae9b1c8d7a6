import { z } from 'zod'

export type Json = Record<string, unknown>

/** A schema whose named parts stand among the document's, so that references find them. */
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
      // The format says it in one word.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  // What goes in may leave out what has a default, so the two are told apart.
  const suffix = io === 'input' ? 'Input' : ''
  const text = JSON.stringify(whole).replaceAll(
    /"#\/\$defs\/(\w+)"/g,
    (_, name: string) => `"#/components/schemas/${name}${suffix}"`,
  )
  const { $schema, $defs = {}, ...schema }: Json = JSON.parse(text)
  for (const [name, part] of Object.entries($defs ?? {})) schemas[`${name}${suffix}`] = part
  return schema
}
