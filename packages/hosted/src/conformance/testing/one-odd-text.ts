import type { KnownIds } from './generate-values.ts'
import type { JsonSchema } from './openapi-document.ts'

/** Builds a value that is valid except for one odd text. */
export type Spoil = (odd: string) => unknown

const DEEPEST = 7
const GOOD: Readonly<Record<string, string>> = {
  name: 'name',
  url: 'https://example.com/x',
  mcp_server_url: 'https://example.com/x',
  token_endpoint: 'https://example.com/x',
  secret_name: 'API_TOKEN',
  expires_at: '2026-11-15T12:00:00Z',
  amount: '250',
  model: 'claude-opus-4-6',
}

/** Every text position in a schema, each as a value with the odd text only there. */
export const findTextPlaces = (
  components: Readonly<Record<string, JsonSchema>>,
  ids: KnownIds,
): ((schema: JsonSchema) => readonly Spoil[]) => {
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined
      ? schema
      : (components[schema.$ref.replace('#/components/schemas/', '')] ?? {})
  const fieldsOf = (schema: JsonSchema, depth: number): Record<string, unknown> =>
    Object.fromEntries(
      (schema.required ?? []).map((name) => [
        name,
        simplest(schema.properties?.[name] ?? {}, name, depth + 1),
      ]),
    )
  const simplest = (given: JsonSchema, name: string, depth: number): unknown => {
    const schema = resolve(given)
    const [choice] = schema.oneOf ?? schema.anyOf ?? []
    if (choice !== undefined && depth < DEEPEST) return simplest(choice, name, depth + 1)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return schema.enum[0]
    const type = [schema.type ?? []].flat()[0]
    if (type === 'object') return fieldsOf(schema, depth)
    if (type === 'array') return [simplest(schema.items ?? {}, name, depth + 1)]
    if (type === 'integer' || type === 'number') return schema.minimum ?? 1
    if (type === 'boolean') return true
    return type === 'null' ? null : (ids[name] ?? ids[`${name}_id`] ?? GOOD[name] ?? 'name')
  }
  const places = (given: JsonSchema, depth: number): readonly Spoil[] => {
    if (depth > DEEPEST) return []
    const schema = resolve(given)
    const choices = schema.oneOf ?? schema.anyOf
    if (choices !== undefined) return choices.flatMap((choice) => places(choice, depth + 1))
    if (schema.const !== undefined || schema.enum !== undefined) return []
    const types = [schema.type ?? []].flat()
    if (types.includes('string')) return [(odd) => odd]
    if (types.includes('array'))
      return places(schema.items ?? {}, depth + 1).map((spoil) => (odd) => [spoil(odd)])
    if (!types.includes('object')) return []
    const named = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      places(field, depth + 1).map((spoil): Spoil => {
        return (odd) => ({ ...fieldsOf(schema, depth), [name]: spoil(odd) })
      }),
    )
    return typeof schema.additionalProperties === 'object'
      ? [...named, (odd) => ({ [odd]: 'x' }), (odd) => ({ x: odd })]
      : named
  }
  return (schema) => places(schema, 0)
}
