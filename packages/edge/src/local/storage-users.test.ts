import { expect, test } from 'vitest'
import { findStorageUsers } from './storage-users.ts'
import { directoryOf } from './testing/directory-of.ts'

const bindTo = (...shorts: string[]) => ({
  services: shorts.map((short) => ({ binding: short, service: `exec-${short}` })),
})

test('finds workers with storage, and those that reach it through others, even in a cycle', () => {
  const found = findStorageUsers([
    directoryOf('a-plain'),
    directoryOf('p-plain', { configuration: bindTo('a-plain') }),
    directoryOf('f-kv', { configuration: { kv_namespaces: [{ binding: 'KV', id: 'x' }] } }),
    directoryOf('f-d1', { configuration: { d1_databases: [{ binding: 'D', database_id: 'x' }] } }),
    directoryOf('f-r2', { configuration: { r2_buckets: [{ binding: 'R', bucket_name: 'x' }] } }),
    directoryOf('p-far', { configuration: bindTo('p-near', 'a-plain') }),
    directoryOf('p-near', { configuration: bindTo('f-kv', 'p-far') }),
  ])
  expect([...found].toSorted()).toEqual([
    'exec-f-d1',
    'exec-f-kv',
    'exec-f-r2',
    'exec-p-far',
    'exec-p-near',
  ])
})
