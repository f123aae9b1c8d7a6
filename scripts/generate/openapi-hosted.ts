import {
  BETA_FAMILIES,
  ERRORS,
  type ErrorCode,
  HOSTED_API,
  HOSTED_ERROR_ROWS,
  type HostedRoute,
  hostedErrorBody,
  PLATFORM_VERSION,
} from '@steward/contract'
import { z } from 'zod'
import { hoist, type Json } from './hoist-schema.ts'
import { shareComponents } from './share-components.ts'
import { writeOpenApi } from './write-openapi.ts'

const COMMON: readonly ErrorCode[] = ['unauthorized', 'scope_missing', 'invalid_input', 'internal']

/** `openapi-hosted.json`: the hosted agent API, OpenAPI 3.1, as text. */
export const renderHostedOpenApi = (): string => {
  const paths: Record<string, Json> = {}
  const schemas: Record<string, unknown> = {}
  const place = (path: string, route: HostedRoute, operation: string) => {
    const key = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[key] = {
      ...paths[key],
      [route.method.toLowerCase()]: describeRoute(operation, route, schemas),
    }
  }
  for (const [operation, route] of Object.entries<HostedRoute>(HOSTED_API)) {
    place(route.path, route, operation)
    if (route.alsoAt !== undefined) place(route.alsoAt, route, `${operation}Too`)
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Steward hosted agents',
      version: PLATFORM_VERSION,
      description: 'What `steward hosted serve` answers. docs/reference/hosted-routes.md lists it.',
    },
    paths,
    security: [{ bearer: [] }, { key: [] }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas: { Error: hoist(hostedErrorBody, 'output', schemas), ...schemas },
    },
  }
  return writeOpenApi(shareComponents(document))
}

const describeRoute = (
  operationId: string,
  route: HostedRoute,
  schemas: Record<string, unknown>,
): Json => ({
  operationId,
  summary: route.summary,
  description: `Key: ${route.scope}${route.worker ? ", or a worker's" : ''}.`,
  parameters: [
    ...betaOf(route),
    ...listOf(route.params, 'path', schemas),
    ...listOf(route.query, 'query', schemas),
  ],
  ...bodyOf(route, schemas),
  responses: { '200': successOf(route, schemas), ...emptyOf(route), ...errorsOf(route) },
})

const betaOf = ({ family }: HostedRoute): Json[] => {
  const value = BETA_FAMILIES[family]
  if (value === null) return []
  const schema = { type: 'string' }
  return [{ name: 'anthropic-beta', in: 'header', required: true, schema, example: value }]
}

const listOf = (
  shape: z.ZodObject | undefined,
  place: 'path' | 'query',
  schemas: Record<string, unknown>,
): Json[] => {
  if (shape === undefined) return []
  return Object.entries(shape.shape).flatMap(([name, part]) =>
    describeParameter(name, place, part, schemas),
  )
}

/** A list is written `name[]`, an object `name[key]`, like in the client library. */
const describeParameter = (
  name: string,
  place: 'path' | 'query',
  part: z.core.$ZodType,
  schemas: Record<string, unknown>,
): Json[] => {
  const shape = part instanceof z.ZodType ? part : z.unknown()
  const schema = hoist(shape, 'input', schemas)
  if (schema.type === 'object') {
    return [{ name, in: place, required: false, style: 'deepObject', schema }]
  }
  if (Array.isArray(schema.anyOf))
    return [{ name: `${name}[]`, in: place, required: false, schema }]
  return [{ name, in: place, required: place === 'path', schema }]
}

const bodyOf = ({ body, form, formFiles }: HostedRoute, schemas: Record<string, unknown>): Json => {
  if (form) {
    const { properties, ...schema } = hoist(form, 'input', schemas)
    const file = { type: 'string', format: 'binary' }
    return {
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              ...schema,
              required: [formFiles ?? 'file'],
              properties: {
                ...(formFiles === undefined
                  ? { file }
                  : { [formFiles]: { type: 'array', items: file } }),
                ...asFields(properties),
              },
            },
          },
        },
      },
    }
  }
  if (!body) return {}
  return {
    requestBody: {
      required: !body.safeParse(undefined).success,
      content: { 'application/json': { schema: hoist(body, 'input', schemas) } },
    },
  }
}

const asFields = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {}

const MEDIA = { 'event-stream': 'text/event-stream', bytes: 'application/octet-stream' } as const

const successOf = ({ answer }: HostedRoute, schemas: Record<string, unknown>): Json => ({
  description: 'Success.',
  content:
    typeof answer === 'string'
      ? { [MEDIA[answer]]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: hoist(answer, 'output', schemas) } },
})

const emptyOf = ({ mayBeEmpty }: HostedRoute): Json =>
  mayBeEmpty ? { '204': { description: 'Nothing.' } } : {}

const errorsOf = (route: HostedRoute): Json => {
  const takesBody = route.body !== undefined || route.form !== undefined
  const codes = new Set<ErrorCode>([
    ...COMMON,
    ...(takesBody ? (['payload_too_large'] as const) : []),
    ...(route.body ? (['invalid_json'] as const) : []),
    ...(route.errors ?? []),
  ])
  const byStatus = Map.groupBy([...codes].sort(), (code) =>
    String(HOSTED_ERROR_ROWS[code]?.status ?? ERRORS[code].status),
  )
  return Object.fromEntries(
    [...byStatus].sort().map(([status, each]) => [
      status,
      {
        description: each.join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
