import * as contract from '@steward/contract'
import { z } from 'zod'
import { hoist, type Json } from './hoist-schema.ts'

const { isJsonObject } = contract

/** Shorter schemas are as readable inline as by name. */
const MIN_SCHEMA_LENGTH = 60

type Document = Json & {
  paths: Readonly<Record<string, Json>>
  components: Json & { schemas: Json }
}

interface Component {
  place: 'schemas' | 'parameters' | 'responses'
  name: string
}

/**
 * Moves parts that operations have in common to the document's components. Only exactly equal parts
 * are replaced, so that the meaning is unchanged.
 */
export const shareComponents = (document: Document): Json => {
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).filter(isJsonObject),
  )
  const parameters = operations.flatMap(({ parameters }) =>
    Array.isArray(parameters) ? parameters.filter(isJsonObject) : [],
  )
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(isJsonObject(responses) ? responses : {}).flatMap(([status, response]) =>
      Number(status) >= 400 && isJsonObject(response) ? [response] : [],
    ),
  )
  const known = new Map<string, Component>([
    ...nameSchemas(document.components.schemas),
    ...nameRepeated('parameters', parameters, nameParameter),
    ...nameRepeated('responses', errors, nameError),
  ])
  const made: Record<Component['place'], Json> = { schemas: {}, parameters: {}, responses: {} }
  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share)
    if (!isJsonObject(value)) return value
    const component = known.get(JSON.stringify(value))
    if (component === undefined) return shareFields(value)
    const { place, name } = component
    made[place][name] ??= shareFields(value)
    return { $ref: `#/components/${place}/${name}` }
  }
  const shareFields = (fields: Json): Json =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, share(value)]))
  const paths = shareFields(document.paths)
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (isJsonObject(schema)) made.schemas[name] = shareFields(schema)
  }
  const components = Object.entries(made).map(([place, parts]) => [place, sortKeys(parts)])
  return {
    ...document,
    paths,
    components: { ...document.components, ...Object.fromEntries(components) },
  }
}

/** Names each schema after its export, by its JSON; names in `own` are taken. */
const nameSchemas = (own: Json): Map<string, Component> => {
  const named = new Map<string, Component>()
  const variants = [
    { io: 'output', suffix: '' },
    { io: 'input', suffix: 'Input' },
  ] as const
  for (const { io, suffix } of variants) {
    for (const [exported, value] of Object.entries(contract)) {
      if (!(value instanceof z.ZodType)) continue
      const text = JSON.stringify(hoist(value, io, {}, 'any'))
      const name = `${toPascal(exported)}${suffix}`
      const isWorthwhile = text.length >= MIN_SCHEMA_LENGTH && !text.startsWith('{"$ref"')
      if (isWorthwhile && !named.has(text) && !(name in own))
        named.set(text, { place: 'schemas', name })
    }
  }
  return named
}

/**
 * Names parts that occur more than once; of different ones with the same name, the most frequent.
 */
const nameRepeated = (
  place: Component['place'],
  parts: readonly Json[],
  nameOf: (part: Json) => string,
): Map<string, Component> => {
  const byText = Map.groupBy(parts, (part) => JSON.stringify(part))
  const repeated = [...byText].flatMap(([text, [first, ...more]]) =>
    first === undefined || more.length === 0
      ? []
      : [{ text, name: nameOf(first), count: more.length }],
  )
  const rarestFirst = repeated.sort((one, other) => one.count - other.count)
  const winners = new Map(rarestFirst.map(({ name, text }) => [name, text]))
  return new Map([...winners].map(([name, text]) => [text, { place, name }]))
}

/** `SlugInPath`, `LimitInQuery`. */
const nameParameter = (part: Json): string =>
  `${toPascal(String(part.name))}In${toPascal(String(part.in))}`

/** The description of an error lists its codes: `ForeignHostOrForeignOrigin`. */
const nameError = ({ description }: Json): string =>
  String(description).split(', ').map(toPascal).join('Or')

const toPascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase())

const sortKeys = (parts: Json): Json =>
  Object.fromEntries(Object.entries(parts).sort(([one], [other]) => (one < other ? -1 : 1)))
