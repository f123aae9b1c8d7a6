import {
  API,
  ERRORS,
  HOSTED_API,
  HOSTED_ERROR_ROWS,
  type HostedRoute,
  isJsonObject,
  type Route,
} from '@steward/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hoist, type Json } from './hoist-schema.ts'
import { renderOpenApi } from './openapi.ts'
import { renderHostedOpenApi } from './openapi-hosted.ts'

const operationShape = z.object({
  operationId: z.string(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), schema: z.unknown() }))
    .default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: z.looseObject({}) })) })
    .optional(),
  responses: z.record(
    z.string(),
    z.object({
      description: z.string(),
      content: z.record(z.string(), z.object({ schema: z.unknown() })).optional(),
    }),
  ),
})

/** The value with every reference resolved in `root`. */
const dereference = (value: unknown, root: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => dereference(each, root))
  if (!isJsonObject(value)) return value
  const { $ref, ...rest } = value
  const fields = Object.fromEntries(
    Object.entries(rest).map(([key, each]) => [key, dereference(each, root)]),
  )
  if (typeof $ref !== 'string') return fields
  const target = $ref
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (isJsonObject(at) ? at[key] : undefined), root)
  if (!isJsonObject(target)) throw new Error(`${$ref} leads nowhere`)
  return { ...Object(dereference(target, root)), ...fields }
}

/** A schema as zod writes it, without components. */
const inPlace = (shape: z.ZodType, io: 'input' | 'output'): unknown => {
  const schemas: Json = {}
  return dereference(hoist(shape, io, schemas), { components: { schemas } })
}

const document = (text: string) => {
  const raw: unknown = JSON.parse(text)
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), operationShape)) })
    .parse(dereference(raw, raw))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
}

const DAEMON = document(renderOpenApi())
const HOSTED = document(renderHostedOpenApi())

test('each document has every operation, each once', () => {
  expect(DAEMON.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(API).sort())
  // The stream has two paths.
  expect(HOSTED.map(({ operationId }) => operationId).sort()).toEqual(
    [...Object.keys(HOSTED_API), 'streamEventsToo'].sort(),
  )
})

const MEDIA = { 'event-stream': 'text/event-stream', bytes: 'application/octet-stream' } as const

const answerOf = (answer: z.ZodType | keyof typeof MEDIA) =>
  typeof answer === 'string'
    ? { [MEDIA[answer]]: { schema: { type: 'string' } } }
    : { 'application/json': { schema: inPlace(answer, 'output') } }

const cases = [
  ...Object.entries<Route>(API).map(([name, route]) => ({
    ...{ name: `daemon: ${name}`, route, form: undefined, file: 'file' },
    status: String(route.status ?? 200),
    operation: DAEMON.find(({ operationId }) => operationId === name),
    rows: ERRORS,
  })),
  ...Object.entries<HostedRoute>(HOSTED_API).map(([name, route]) => ({
    ...{ name: `hosted: ${name}`, route, form: route.form, file: route.formFiles ?? 'file' },
    status: '200',
    operation: HOSTED.find(({ operationId }) => operationId === name),
    rows: { ...ERRORS, ...HOSTED_ERROR_ROWS },
  })),
]

test.each(cases)('$name is described as the contract has it', ({ route, form, file, ...rest }) => {
  const { operation, status, rows } = rest
  expect(operation?.method).toBe(route.method.toLowerCase())
  expect(operation?.path).toBe(route.path.replaceAll(/:(\w+)/g, '{$1}'))
  for (const [place, shape] of [['path', route.params] as const, ['query', route.query] as const]) {
    const described = operation?.parameters.filter((each) => each.in === place) ?? []
    expect(
      Object.fromEntries(described.map(({ name, schema }) => [name.replace('[]', ''), schema])),
    ).toEqual(
      Object.fromEntries(
        Object.entries(shape?.shape ?? {}).map(([name, part]) => [
          name,
          part instanceof z.ZodType ? inPlace(part, 'input') : undefined,
        ]),
      ),
    )
  }
  const body = operation?.requestBody?.content['application/json']?.schema
  expect(body).toEqual(route.body && inPlace(route.body, 'input'))
  const fields = operation?.requestBody?.content['multipart/form-data']?.schema.properties
  expect(isJsonObject(fields) ? Object.keys(fields) : undefined).toEqual(
    form && [file, ...Object.keys(form.shape)],
  )
  const success = operation?.responses[status]
  expect(success?.content).toEqual(status === '303' ? undefined : answerOf(route.answer))
  for (const code of route.errors ?? []) {
    const response = operation?.responses[String(rows[code]?.status ?? ERRORS[code].status)]
    expect(response?.description.split(', ')).toContain(code)
  }
})

test('a document is written one operation and one component a line', () => {
  const lines = renderOpenApi().split('\n')
  const starts = (text: string) => lines.filter((line) => line.startsWith(text)).length
  expect(starts('   "get": {"operationId":')).toBe(
    DAEMON.filter(({ method }) => method === 'get').length,
  )
  expect(starts('   "Internal": {"description":"internal"')).toBe(1)
  expect(starts('   "Health": {"type":"object"')).toBe(1)
})
