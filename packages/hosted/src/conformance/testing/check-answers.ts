import { isDeepStrictEqual } from 'node:util'
import {
  HOSTED_API,
  type HostedOperation,
  type HostedRoute,
  hostedErrorBody,
} from '@steward/contract'
import { z } from 'zod'

/** The fetch of a client under test: the real one, which also checks every response. */
export interface AnswerCheck {
  fetch: typeof fetch
  /** Operations that succeeded at least once. */
  done: Set<HostedOperation>
  /** Responses that violate the contract. */
  faults: string[]
}

/** Checks that responses match the contract exactly: no extra and no missing keys. */
export const createAnswerCheck = (): AnswerCheck => {
  const done = new Set<HostedOperation>()
  const faults: string[] = []
  return {
    done,
    faults,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const method = init?.method?.toUpperCase() ?? 'GET'
      const { protocol, pathname: path } = new URL(input instanceof Request ? input.url : input)
      // The client tests its runtime's capabilities with a `data:` URL before it sends a form.
      if (protocol === 'data:') return response
      const call = `${method} ${path}: ${response.status}`
      if (!response.headers.get('request-id')?.startsWith('req_'))
        faults.push(`${call} has no request-id`)
      if (!response.ok) {
        const text = await response.clone().text()
        faults.push(...differences(call, hostedErrorBody, JSON.parse(text)))
        return response
      }
      const found = findOperation(method, path)
      if (found === undefined) {
        faults.push(`${call} is no route of the contract`)
        return response
      }
      done.add(found.name)
      const { answer, mayBeEmpty } = found.route
      if (response.status === 204) {
        if (mayBeEmpty !== true) faults.push(`${call} is empty`)
      } else if (typeof answer !== 'string')
        faults.push(...differences(call, answer, JSON.parse(await response.clone().text())))
      return response
    },
  }
}

/** Describes how a value deviates from the schema; empty when it matches exactly. */
export const differences = (what: string, shape: z.ZodType, value: unknown): string[] => {
  const read = shape.safeParse(value)
  if (!read.success) return [`${what}: ${z.prettifyError(read.error)}`]
  if (isDeepStrictEqual(read.data, value)) return []
  return [
    `${what} has additional keys: ${JSON.stringify(value)}, known: ${JSON.stringify(read.data)}`,
  ]
}

const OPERATIONS = z.record(z.string(), z.custom<HostedRoute>()).parse(HOSTED_API)
const NAMES = Object.keys(OPERATIONS).filter((name): name is HostedOperation => name in HOSTED_API)

const findOperation = (
  method: string,
  path: string,
): { name: HostedOperation; route: HostedRoute } | undefined =>
  NAMES.map((name) => ({ name, route: z.custom<HostedRoute>().parse(OPERATIONS[name]) }))
    .filter(({ route }) => route.method === method || (route.method === 'POST' && method === 'PUT'))
    .filter(({ route }) => fits(route.path, path) || fits(route.alsoAt ?? '', path))
    .toSorted((one, other) => countParams(one.route) - countParams(other.route))[0]

const fits = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)

const countParams = ({ path }: HostedRoute): number => path.split(':').length
