import { isJsonObject } from '@steward/contract'
import { z } from 'zod'

/** The parts of a JSON Schema that describe a value. The final validation covers the others. */
const schemaShape = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
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
      return follow(choices.find((choice) => !isNull(choice)) ?? choices[0])
    }
  }
  if (Array.isArray(shape.allOf)) {
    const parts = shape.allOf.map((part) => readSchema(part, root, depth + 1))
    return Object.assign({}, shape, ...parts)
  }
  return shape
}

/** The type to fill: the declared one, or the one that its other keywords imply. */
export const typeOfSchema = (shape: SchemaShape): string => {
  const named = [shape.type].flat().find((type) => type !== undefined && type !== 'null')
  if (named !== undefined) return named
  if (shape.properties !== undefined) return 'object'
  if (shape.items !== undefined) return 'array'
  return [shape.type].flat().includes('null') ? 'null' : 'string'
}

const isNull = (choice: unknown): boolean => isJsonObject(choice) && choice.type === 'null'

const resolvePointer = (pointer: string, root: unknown): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, part) => (isJsonObject(value) ? value[part] : undefined), root)
