import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Route, RouteTable } from './platform-route.ts'
import type { PlatformState } from './platform-state.ts'

const gone = { status: 404, code: 7404, message: 'not found' }

/** Lists, creates and deletes; a second resource of one name is refused, as the platform does. */
const routesOf = (
  path: string,
  nameField: string,
  idField: string,
  idsIn: (state: PlatformState) => Set<string>,
): RouteTable => {
  const nameOf = (state: PlatformState, id: string) => state.names.get(id) ?? id
  const create: Route = ({ state, request }) => {
    const name = z.looseObject({ [nameField]: z.string() }).parse(request.json())[nameField]
    const ids = idsIn(state)
    if ([...ids].some((id) => nameOf(state, id) === name)) {
      return { status: 400, code: 10014, message: `${name} already exists` }
    }
    const id = idField === 'name' ? String(name) : randomUUID()
    ids.add(id)
    state.names.set(id, String(name))
    return { result: { [idField]: id, [nameField]: name } }
  }
  return [
    [
      'GET',
      path,
      ({ state }) => ({
        result: [...idsIn(state)].map((id) => ({
          [idField]: id,
          [nameField]: nameOf(state, id),
        })),
        pages: 1,
      }),
    ],
    ['POST', path, create],
    [
      'DELETE',
      `${path}/(?<id>[^/]+)`,
      ({ state, id }) => (idsIn(state).delete(id) ? { result: {} } : gone),
    ],
  ]
}

/** KV namespaces, D1 databases and R2 buckets. */
export const RESOURCE_ROUTES: RouteTable = [
  ...routesOf('/storage/kv/namespaces', 'title', 'id', ({ kv }) => kv),
  ...routesOf('/d1/database', 'name', 'uuid', ({ d1 }) => d1),
  ...routesOf('/r2/buckets', 'name', 'name', ({ r2 }) => r2),
]
