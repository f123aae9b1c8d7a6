import { z } from 'zod'
import { type ApiAccess, callApi } from './api-call.ts'

const PER_PAGE = 100

/** Namespaces, databases, queues and buckets of an account, by name. */
export interface AccountResources {
  /** Ids by name. */
  listNamespaces: () => Promise<Map<string, string>>
  listDatabases: () => Promise<Map<string, string>>
  listQueues: () => Promise<Map<string, string>>
  /** Each returns the id of the new resource. */
  createNamespace: (name: string) => Promise<string>
  createDatabase: (name: string) => Promise<string>
  createQueue: (name: string) => Promise<string>
  createBucket: (name: string) => Promise<string>
  /** Deletes a resource with everything in it; a resource that no longer exists is not an error. */
  deleteNamespace: (id: string) => Promise<void>
  deleteDatabase: (id: string) => Promise<void>
  deleteQueue: (id: string) => Promise<void>
  deleteBucket: (id: string) => Promise<void>
}

const namespace = z.looseObject({ id: z.string(), title: z.string() })
const database = z.looseObject({ uuid: z.string(), name: z.string() })
const queue = z.looseObject({ queue_id: z.string().default(''), queue_name: z.string() })
const bucket = z.looseObject({ name: z.string() })

export const createAccountResources = (access: ApiAccess, root: string): AccountResources => {
  const listAll = async <Row>(path: string, row: z.ZodType<Row>): Promise<Row[]> => {
    const rows: Row[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const query = `?page=${page}&per_page=${PER_PAGE}`
      const found = await callApi(access, `${root}${path}${query}`, z.array(row))
      rows.push(...(found?.value ?? []))
      pages = found?.pages ?? 1
    }
    return rows
  }
  const create = async <Made>(
    path: string,
    shape: z.ZodType<Made>,
    body: object,
  ): Promise<Made> => {
    const made = await callApi(access, `${root}${path}`, shape, { method: 'POST', body })
    if (made !== undefined) return made.value
    throw new Error(`${path} does not exist in the platform's API`)
  }
  const remove = async (path: string): Promise<void> => {
    await callApi(access, `${root}${path}`, z.unknown(), { method: 'DELETE' })
  }
  return {
    listNamespaces: async () =>
      byName(await listAll(KV, namespace), ({ title, id }) => [title, id]),
    listDatabases: async () =>
      byName(await listAll(D1, database), ({ name, uuid }) => [name, uuid]),
    listQueues: async () =>
      byName(await listAll(QUEUES, queue), ({ queue_name: name, queue_id: id }) => [name, id]),
    createNamespace: async (title) => (await create(KV, namespace, { title })).id,
    createDatabase: async (name) => (await create(D1, database, { name })).uuid,
    createQueue: async (name) => (await create(QUEUES, queue, { queue_name: name })).queue_id,
    createBucket: async (name) => (await create(R2, bucket, { name })).name,
    deleteNamespace: (id) => remove(`${KV}/${id}`),
    deleteDatabase: (id) => remove(`${D1}/${id}`),
    deleteQueue: (id) => remove(`${QUEUES}/${id}`),
    deleteBucket: (id) => remove(`${R2}/${encodeURIComponent(id)}`),
  }
}

const KV = '/storage/kv/namespaces'
const D1 = '/d1/database'
const QUEUES = '/queues'
const R2 = '/r2/buckets'

const byName = <Row>(
  rows: readonly Row[],
  entryOf: (row: Row) => [string, string],
): Map<string, string> => new Map(rows.map(entryOf))
