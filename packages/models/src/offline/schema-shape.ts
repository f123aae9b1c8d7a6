import { isJsonObject } from '@steward/contract'
import { z } from 'zod'

/** The parts of a JSON Schema that describe a value. The final validation covers the others. */
const schemaShape = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  minProperties: z.number().optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  prefixItems: z.array(z.unknown()).optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  /** Not of JSON Schema: null is one of the alternatives. */
  nullable: z.boolean().optional(),
})
export type SchemaShape = z.infer<typeof schemaShape>

const MAX_REFS = 20

/** One schema, with its reference resolved and its first non-null alternative. */
export const readSchema = (value: unknown, root: unknown, depth = 0): SchemaShape => {
  const parsed = schemaShape.safeParse(value)
  if (!parsed.success) return {}
  const shape = parsed.data
  if (depth > MAX_REFS) return shape
  const follow = (next: unknown) => ({ ...shape, ...readSchema(next, root, depth + 1) })
  if (typeof shape.$ref === 'string') return follow(resolvePointer(shape.$ref, root))
  if ('const' in shape) return { ...shape, enum: [shape.const] }
  for (const keyword of ['anyOf', 'oneOf']) {
    const choices = shape[keyword]
    if (Array.isArray(choices)) {
      const chosen = follow(choices.find((choice) => !isNull(choice)) ?? choices[0])
      return choices.some(isNull) ? { ...chosen, nullable: true } : chosen
    }
  }
  if (Array.isArray(shape.allOf)) {
    const parts = shape.allOf.map((part) => readSchema(part, root, depth + 1))
    return parts.reduce(merge, shape)
  }
  return shape
}

/** Both at once: their properties are added up, other keywords of the second win. */
const merge = (one: SchemaShape, other: SchemaShape): SchemaShape => ({
  ...one,
  ...other,
  ...(one.properties && { properties: { ...one.properties, ...other.properties } }),
  ...(one.required && { required: [...one.required, ...(other.required ?? [])] }),
})

/** The type to fill: the declared one, or the one that its other keywords imply. */
export const typeOfSchema = (shape: SchemaShape): string => {
  const named = [shape.type].flat().find((type) => type !== undefined && type !== 'null')
  if (named !== undefined) return named
  if (shape.properties !== undefined || shape.required !== undefined) return 'object'
  if (shape.items !== undefined || shape.prefixItems !== undefined) return 'array'
  return [shape.type].flat().includes('null') ? 'null' : 'string'
}

const isNull = (choice: unknown): boolean => isJsonObject(choice) && choice.type === 'null'

const resolvePointer = (pointer: string, root: unknown): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, part) => (isJsonObject(value) ? value[part] : undefined), root)
