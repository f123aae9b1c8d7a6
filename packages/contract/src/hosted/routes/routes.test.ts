import { expect, test } from 'vitest'
import { allowsKey, KEY_SCOPES } from '../key.ts'
import { HOSTED_API, type HostedRoute } from './index.ts'

const routes = Object.entries<HostedRoute>(HOSTED_API).map(([name, route]) => ({ name, route }))

test.each(routes)('$name names the parts of its path', ({ route }) => {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  expect(Object.keys(route.params?.shape ?? {}).sort()).toEqual(names.sort())
})

test('no two routes are the same call', () => {
  const calls = routes.flatMap(({ route }) =>
    [route.path, ...(route.alsoAt === undefined ? [] : [route.alsoAt])].map(
      (path) => `${route.method} ${path}`,
    ),
  )
  expect(new Set(calls).size).toBe(calls.length)
})

test('a key may do exactly what its scope allows', () => {
  const may = (name: keyof typeof HOSTED_API) =>
    KEY_SCOPES.filter((scope) => allowsKey(scope, HOSTED_API[name]))
  expect(may('listAgents')).toEqual(['read', 'write', 'admin'])
  expect(may('createAgent')).toEqual(['write', 'admin'])
  expect(may('createCredential')).toEqual(['admin'])
  expect(may('pollWork')).toEqual(['write', 'admin', 'environment'])
  expect(may('heartbeatWork')).toEqual(['write', 'admin', 'environment', 'session'])
  expect(may('sendEvents')).toEqual(['write', 'admin', 'environment', 'session'])
  expect(may('deleteSession')).toEqual(['write', 'admin'])
})
