import {
  API,
  ERRORS,
  type ErrorCode,
  isJsonObject,
  LIMITS,
  PLATFORM_VERSION,
  type Route,
} from '@steward/contract'
import type { z } from 'zod'
import { hoist, type Json } from './hoist-schema.ts'
import { shareComponents } from './share-components.ts'
import { writeOpenApi } from './write-openapi.ts'

/** Errors that any route may answer with, by its input. */
const COMMON: readonly ErrorCode[] = ['foreign_host', 'foreign_origin', 'invalid_input', 'internal']

/** `openapi.json`, OpenAPI 3.1, as text. */
export const renderOpenApi = (): string => {
  const paths: Record<string, Json> = {}
  const schemas: Record<string, unknown> = {}
  const toSchema: ToSchema = (shape, io) => hoist(shape, io, schemas)
  for (const [operation, route] of Object.entries<Route>(API)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeRoute(operation, route, toSchema),
    }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Steward daemon',
      version: PLATFORM_VERSION,
      description: 'The local daemon. What each route needs and why: docs/reference/routes.md.',
    },
    servers: [{ url: 'http://127.0.0.1:31337' }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token file of the data home.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'steward_session_31337' },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['success', 'error', 'code'],
          properties: {
            success: { const: false },
            error: { type: 'string' },
            code: { enum: Object.keys(ERRORS) },
            field: { type: 'string' },
          },
        },
        ...schemas,
      },
    },
  }
  return writeOpenApi(shareComponents(document))
}

type ToSchema = (shape: z.ZodType, io: 'input' | 'output') => Json

const describeRoute = (operationId: string, route: Route, toSchema: ToSchema): Json => ({
  operationId,
  summary: route.summary,
  description: `Access: ${route.access}. ${route.why}`,
  ...(route.access === 'token' ? { security: [{ token: [] }, { cookie: [] }] } : {}),
  ...parametersOf(route, toSchema),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          description: `At most ${route.maxBodyBytes ?? LIMITS.daemonBodyBytes} bytes.`,
          content: { 'application/json': { schema: toSchema(route.body, 'input') } },
        },
      }),
  responses: {
    [String(route.status ?? 200)]: successOf(route, toSchema),
    ...errorsOf(route),
  },
})

const parametersOf = ({ params, query }: Route, toSchema: ToSchema): Json => {
  const parameters = [...listOf(params, 'path', toSchema), ...listOf(query, 'query', toSchema)]
  return parameters.length === 0 ? {} : { parameters }
}

const listOf = (
  shape: z.ZodObject | undefined,
  place: 'path' | 'query',
  toSchema: ToSchema,
): Json[] => {
  if (shape === undefined) return []
  const { properties, required } = toSchema(shape, 'input')
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: place,
    required: Array.isArray(required) && required.includes(name),
    schema,
  }))
}

const MEDIA = { 'event-stream': 'text/event-stream', bytes: 'application/octet-stream' } as const

const successOf = ({ answer, status }: Route, toSchema: ToSchema): Json => {
  const description = status === 303 ? 'Goes on to the dashboard.' : 'Success.'
  if (status === 303) return { description }
  const content =
    typeof answer === 'string'
      ? { [MEDIA[answer]]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: toSchema(answer, 'output') } }
  return { description, content }
}

const errorsOf = (route: Route): Json => {
  const codes = new Set<ErrorCode>([
    ...COMMON,
    ...(route.access === 'public' ? [] : (['unauthorized'] as const)),
    ...(route.method === 'GET' ? [] : (['unsupported_media_type'] as const)),
    ...(route.body === undefined ? [] : (['payload_too_large', 'invalid_json'] as const)),
    ...(route.perMinute === undefined ? [] : (['too_many_requests'] as const)),
    ...(route.answer === 'event-stream' ? (['too_many_streams'] as const) : []),
    ...(route.errors ?? []),
  ])
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of [...codes].sort()) {
    const { status } = ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, each]) => [
        String(status),
        {
          description: each.join(', '),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  )
}
