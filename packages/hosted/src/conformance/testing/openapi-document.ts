import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The part of JSON Schema that the generated document uses for input. */
export interface JsonSchema {
  $ref?: string | undefined
  type?: string | readonly string[] | undefined
  const?: unknown
  enum?: readonly unknown[] | undefined
  oneOf?: readonly JsonSchema[] | undefined
  anyOf?: readonly JsonSchema[] | undefined
  format?: string | undefined
  pattern?: string | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  properties?: Readonly<Record<string, JsonSchema>> | undefined
  required?: readonly string[] | undefined
  items?: JsonSchema | undefined
  additionalProperties?: boolean | JsonSchema | undefined
}

const schema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    oneOf: z.array(schema).optional(),
    anyOf: z.array(schema).optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    items: schema.optional(),
    additionalProperties: z.union([z.boolean(), schema]).optional(),
  }),
)

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  schema,
})

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.union([z.object({ $ref: z.string() }), parameter])).default([]),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ schema })) })
    .optional(),
})

const openapi = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), schema),
    parameters: z.record(z.string(), parameter),
  }),
})

export interface Operation {
  id: string
  method: string
  /** `{name}` stands for one path segment. */
  path: string
  query: readonly { name: string; schema: JsonSchema }[]
  /** The schema of a JSON body; `form` means multipart. */
  body: JsonSchema | 'form' | undefined
}

/** The published description of the API. */
export const readOpenapi = (): {
  operations: readonly Operation[]
  components: Readonly<Record<string, JsonSchema>>
} => {
  const file = new URL('../../../../../openapi-hosted.json', import.meta.url)
  const { paths, components } = openapi.parse(JSON.parse(readFileSync(file, 'utf8')))
  const findParameter = (reference: string) => {
    const found = components.parameters[reference.replace('#/components/parameters/', '')]
    if (found === undefined) throw new Error(`${reference} leads nowhere`)
    return found
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]): Operation => {
      const content = requestBody?.content ?? {}
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        query: parameters
          .map((each) => ('$ref' in each ? findParameter(each.$ref) : each))
          .filter((each) => each.in === 'query'),
        body: 'multipart/form-data' in content ? 'form' : content['application/json']?.schema,
      }
    }),
  )
  return { operations, components: components.schemas }
}
