import { isJsonObject, queueBinding, StewardError } from '@steward/contract'
import type { QueueProducer } from '@steward/engine'
import type { WorkerEnv } from './env.ts'

/**
 * The parts of the platform's bindings that we use; its own types would be a dependency for these
 * few lines.
 */
export interface ServiceBinding {
  fetch: (input: string, init: RequestInit) => Promise<Response>
}
export interface KvNamespace {
  get(key: string): Promise<string | null>
  /** At most 100 keys at a time. */
  get(keys: string[]): Promise<Map<string, string | null>>
  put: (key: string, value: string) => Promise<void>
  delete: (key: string) => Promise<void>
  list: (options: { prefix: string; cursor?: string }) => Promise<{
    keys: { name: string }[]
    list_complete: boolean
    cursor?: string
  }>
}
interface D1Statement {
  bind: (...values: (string | number | null)[]) => D1Statement
  all: () => Promise<{ results: Record<string, unknown>[]; meta: { changes?: number } }>
}
export interface D1Database {
  prepare: (sql: string) => D1Statement
  batch: (statements: D1Statement[]) => Promise<unknown>
}
export interface R2Bucket {
  put: (
    key: string,
    value: string,
    options: { httpMetadata: { contentType: string } },
  ) => Promise<unknown>
}

export const findService = (env: WorkerEnv, name: string): ServiceBinding => {
  const value = env[name]
  // Inspecting a binding takes a call of the runtime, so results are kept.
  if (isKnownService(value)) return value
  const wanted = 'a service binding; deploy its worker first, then this one'
  const service = find(env, name, isService, wanted)
  services.add(service)
  return service
}

const services = new WeakSet<object>()
const isKnownService = (value: unknown): value is ServiceBinding =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  services.has(value)
export const findKv = (env: WorkerEnv, name: string): KvNamespace =>
  find(env, name, isKv, 'a KV namespace in wrangler.jsonc')
export const findD1 = (env: WorkerEnv, name: string): D1Database =>
  find(env, name, isD1, 'a D1 database in wrangler.jsonc')
export const findR2 = (env: WorkerEnv, name: string): R2Bucket =>
  find(env, name, isR2, 'an R2 bucket in wrangler.jsonc')
export const findQueue = (env: WorkerEnv, queue: string): QueueProducer =>
  find(env, queueBinding(queue), isQueue, `a producer of the queue ${queue}`)

/** A database, if this worker has it. */
export const seekD1 = (env: WorkerEnv, name: string): D1Database | undefined => {
  const value = env[name]
  return isD1(value) ? value : undefined
}

/** The producer of a queue, if this worker has one. */
export const seekQueue = (env: WorkerEnv, queue: string): QueueProducer | undefined => {
  const value = env[queueBinding(queue)]
  return isQueue(value) ? value : undefined
}

const find = <T>(
  env: WorkerEnv,
  name: string,
  fits: (value: unknown) => value is T,
  what: string,
): T => {
  const value = env[name]
  if (fits(value)) return value
  throw new StewardError('binding_missing', { reason: `this worker has no ${name}: add ${what}` })
}

// Some bindings are functions to `typeof`. They are trusted, because the account's owner created
// them.
const has = (value: unknown, ...methods: string[]): boolean =>
  (isJsonObject(value) || typeof value === 'function') &&
  methods.every((method) => typeof Reflect.get(value, method) === 'function')

const isService = (value: unknown): value is ServiceBinding => has(value, 'fetch')
const isKv = (value: unknown): value is KvNamespace => has(value, 'get', 'put', 'list')
const isD1 = (value: unknown): value is D1Database => has(value, 'prepare', 'batch')
const isR2 = (value: unknown): value is R2Bucket => has(value, 'put', 'head')
const isQueue = (value: unknown): value is QueueProducer => has(value, 'sendBatch')
