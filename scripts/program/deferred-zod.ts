/**
 * Takes zod's place in the bundled program. Declaring a schema only records how to build it; zod is
 * loaded and the schema built when something is asked of it, because most commands declare a thousand
 * schemas and use ten.
 */
import type { z as Zod } from 'zod'

type Call = (...args: unknown[]) => unknown

/** The program's own loader gives every chunk this. */
declare const loadChunk: (name: string) => { z: typeof Zod }
declare const ZOD_CHUNK: string

const configured: unknown[] = []
let loaded: typeof Zod | undefined
const zod = (): typeof Zod => {
  if (loaded !== undefined) return loaded
  loaded = loadChunk(ZOD_CHUNK).z
  for (const given of configured) callOn(loaded, 'config', [given])
  return loaded
}

/** Methods that make another schema of one. Whatever else is asked of a schema builds it. */
const CHAINED: ReadonlySet<PropertyKey> = new Set([
  ...['optional', 'nullable', 'nullish', 'default', 'prefault', 'catch', 'readonly', 'brand'],
  ...['min', 'max', 'length', 'nonempty', 'int', 'positive', 'nonnegative', 'multipleOf'],
  ...['trim', 'toLowerCase', 'toUpperCase', 'regex', 'startsWith', 'endsWith', 'includes'],
  ...['describe', 'refine', 'superRefine', 'check', 'transform', 'overwrite', 'pipe', 'or', 'and'],
  ...['extend', 'safeExtend', 'pick', 'omit', 'partial', 'required', 'strict', 'loose', 'catchall'],
])

/** Ask a deferred schema for this, and it answers with the real one. */
const REAL = Symbol('the real schema')

const callOn = (owner: object, key: PropertyKey, args: readonly unknown[]): unknown => {
  const method: Call = Reflect.get(owner, key)
  return method.apply(owner, args.map(realOf))
}

/** A call that makes no schema: its arguments are a schema or data, and data is passed on untouched. */
const useOf =
  (owner: () => object, key: PropertyKey): Call =>
  (...args) => {
    const method: Call = Reflect.get(owner(), key)
    return method.apply(owner(), args.map((given) => Reflect.get(Object(given), REAL) ?? given))
  }

/** A schema, or a list or record of them, with real ones in place of those deferred. */
const realOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const real = Reflect.get(value, REAL)
  if (real !== undefined) return real
  if (Array.isArray(value)) return value.map(realOf)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy = {}
  for (const [key, { get, ...plain }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    // A schema that refers to itself is declared by a getter.
    const property = get
      ? { ...plain, get: () => realOf(get.call(value)) }
      : { ...plain, value: realOf(plain.value) }
    Object.defineProperty(copy, key, property)
  }
  return copy
}

const defer = (build: () => unknown): object => {
  let real: object | undefined
  const force = (): object => {
    real ??= Object(build())
    return real ?? {}
  }
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(
    {},
    {
      get: (_target, key) => {
        if (key === REAL) return force()
        const known = bound.get(key)
        if (known !== undefined) return known
        if (CHAINED.has(key)) return (...args: unknown[]) => defer(() => callOn(force(), key, args))
        if (key === 'meta') {
          // Without an argument it is asked for, and not made.
          return (...args: unknown[]) =>
            args.length === 0 ? callOn(force(), key, args) : defer(() => callOn(force(), key, args))
        }
        const value: unknown = Reflect.get(force(), key)
        if (typeof value !== 'function') return value
        const method = useOf(force, key)
        bound.set(key, method)
        return method
      },
      has: (_target, key) => Reflect.has(force(), key),
      ownKeys: () => Reflect.ownKeys(force()),
      getPrototypeOf: () => Reflect.getPrototypeOf(force()),
      getOwnPropertyDescriptor: (_target, key) => {
        const property = Reflect.getOwnPropertyDescriptor(force(), key)
        return property && { ...property, configurable: true }
      },
      set: (_target, key, value) => Reflect.set(force(), key, value),
    },
  )
}

/** What makes a schema has a small first letter, and so have these, which do not. */
const IMMEDIATE: ReadonlySet<PropertyKey> = new Set([
  ...['config', 'core', 'globalRegistry', 'registry', 'locales', 'util', 'regexes', 'getErrorMap'],
  ...['parse', 'parseAsync', 'safeParse', 'safeParseAsync', 'encode', 'decode', 'clone'],
  ...['prettifyError', 'treeifyError', 'formatError', 'flattenError', 'toJSONSchema'],
  'fromJSONSchema',
])

const namespace = (owner: () => object): object =>
  new Proxy(
    {},
    {
      get: (_target, key) => (...args: unknown[]) => defer(() => callOn(owner(), key, args)),
    },
  )

const NESTED: Readonly<Record<string, object>> = {
  iso: namespace(() => zod().iso),
  coerce: namespace(() => zod().coerce),
}

const SCHEMA_MAKER = /^[a-z]/

export const z: object = new Proxy(
  {},
  {
    get: (_target, key) => {
      if (typeof key === 'symbol' || !SCHEMA_MAKER.test(key)) return Reflect.get(zod(), key)
      if (key === 'config' && loaded === undefined) {
        return (given: unknown) => {
          configured.push(given)
        }
      }
      const nested = NESTED[key]
      if (nested !== undefined) return nested
      if (IMMEDIATE.has(key)) {
        const value: unknown = Reflect.get(zod(), key)
        return typeof value === 'function' ? useOf(zod, key) : value
      }
      return (...args: unknown[]) => defer(() => callOn(zod(), key, args))
    },
  },
)
