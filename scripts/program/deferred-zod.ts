/**
 * Replaces zod in the bundled program. Declaring a schema only records how to build it; zod is
 * loaded and the schema built on first use, because most commands declare a thousand schemas and
 * use ten.
 */
import type { z as Zod } from 'zod'

/** Provided by the program's loader, with the name of the chunk that contains zod. */
declare const loadChunk: (name: string) => { z: typeof Zod }
declare const ZOD_CHUNK: string

type Call = (...args: unknown[]) => unknown

/** A call that creates a schema: of zod, of a part of it, or of another schema. */
interface Declared {
  owner: () => object
  key: PropertyKey
  args: readonly unknown[]
  real?: object
  /** Methods that were requested since it was built. */
  methods?: Map<PropertyKey, Call>
}

const configured: unknown[] = []
let loaded: typeof Zod | undefined
const zod = (): typeof Zod => {
  if (loaded !== undefined) return loaded
  loaded = loadChunk(ZOD_CHUNK).z
  for (const given of configured) make(loaded, 'config', [given])
  return loaded
}

const make = (owner: object, key: PropertyKey, args: readonly unknown[]): unknown => {
  const method: Call = Reflect.get(owner, key)
  return method.apply(owner, args.map(realOf))
}

/** The key under which a deferred schema returns the real one. */
const REAL = Symbol('the real schema')

const build = (declared: Declared): object => {
  declared.real ??= Object(make(declared.owner(), declared.key, declared.args))
  return declared.real ?? {}
}

/** A schema, or a list or record of them, with deferred ones replaced by real ones. */
const realOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const real = Reflect.get(value, REAL)
  if (real !== undefined) return real
  if (Array.isArray(value)) return value.map(realOf)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy = {}
  for (const [key, { get, ...plain }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    // A recursive schema is declared by a getter.
    const property = get
      ? { ...plain, get: () => realOf(get.call(value)) }
      : { ...plain, value: realOf(plain.value) }
    Object.defineProperty(copy, key, property)
  }
  return copy
}

/** A call that creates no schema: its arguments are schemas or data, and data is passed through. */
const useOf =
  (owner: () => object, key: PropertyKey): Call =>
  (...args) => {
    const method: Call = Reflect.get(owner(), key)
    return method.apply(
      owner(),
      args.map((given) => Reflect.get(Object(given), REAL) ?? given),
    )
  }

const defer = (owner: () => object, key: PropertyKey, args: readonly unknown[]): object =>
  new Proxy<Declared>({ owner, key, args }, HANDLER)

/** Methods that derive a schema. Any other access builds the schema. */
const CHAINED = new Map<PropertyKey, Call>(
  [
    ...['optional', 'nullable', 'nullish', 'default', 'prefault', 'catch', 'readonly', 'brand'],
    ...['min', 'max', 'length', 'nonempty', 'int', 'positive', 'nonnegative', 'multipleOf'],
    ...['trim', 'toLowerCase', 'toUpperCase', 'regex', 'startsWith', 'endsWith', 'includes'],
    ...[
      'describe',
      'refine',
      'superRefine',
      'check',
      'transform',
      'overwrite',
      'pipe',
      'or',
      'and',
    ],
    ...['extend', 'safeExtend', 'pick', 'omit', 'partial', 'required', 'strict', 'loose'],
    ...['strip', 'catchall', 'removeDefault', 'meta'],
  ].map((key) => [
    key,
    function (this: { [REAL]: object }, ...args: unknown[]) {
      // Without an argument `meta` reads instead of deriving.
      if (key === 'meta' && args.length === 0) return make(this[REAL], key, args)
      return defer(() => this[REAL], key, args)
    },
  ]),
)

const HANDLER: ProxyHandler<Declared> = {
  get: (declared, key) => {
    if (key === REAL) return build(declared)
    const chained = CHAINED.get(key)
    if (chained !== undefined) return chained
    const known = declared.methods?.get(key)
    if (known !== undefined) return known
    const value: unknown = Reflect.get(build(declared), key)
    if (typeof value !== 'function') return value
    const method = useOf(() => build(declared), key)
    declared.methods ??= new Map()
    declared.methods.set(key, method)
    return method
  },
  has: (declared, key) => Reflect.has(build(declared), key),
  ownKeys: (declared) => Reflect.ownKeys(build(declared)),
  getPrototypeOf: (declared) => Reflect.getPrototypeOf(build(declared)),
  getOwnPropertyDescriptor: (declared, key) => {
    const property = Reflect.getOwnPropertyDescriptor(build(declared), key)
    return property && { ...property, configurable: true }
  },
}

const maker =
  (owner: () => object, key: PropertyKey): Call =>
  (...args) =>
    defer(owner, key, args)

const makersOf = (owner: () => object): object => {
  const makers = new Map<PropertyKey, Call>()
  return new Proxy(makers, {
    get: (_target, key) => {
      const known = makers.get(key) ?? maker(owner, key)
      makers.set(key, known)
      return known
    },
  })
}

/** Names in lower case that do not create a schema. */
const USED = [
  ...['core', 'globalRegistry', 'registry', 'locales', 'util', 'regexes', 'fromJSONSchema'],
  ...['parse', 'parseAsync', 'safeParse', 'safeParseAsync', 'encode', 'decode', 'clone'],
  ...['prettifyError', 'treeifyError', 'formatError', 'flattenError', 'toJSONSchema'],
]
const IMMEDIATE: ReadonlySet<PropertyKey> = new Set(USED)

/** Classes, constants and other functions come from zod itself. */
const readZod = (key: PropertyKey): unknown => {
  const value: unknown = Reflect.get(zod(), key)
  return IMMEDIATE.has(key) && typeof value === 'function' ? useOf(zod, key) : value
}

/** Cached members of zod, by name. */
const known = new Map<PropertyKey, unknown>([
  ['iso', makersOf(() => zod().iso)],
  ['coerce', makersOf(() => zod().coerce)],
  [
    'config',
    (given: unknown) => {
      if (loaded === undefined) configured.push(given)
      else make(loaded, 'config', [given])
    },
  ],
])

export const z: object = new Proxy(known, {
  get: (_target, key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const isMaker = typeof key === 'string' && /^[a-z]/.test(key) && !IMMEDIATE.has(key)
    const value = isMaker ? maker(zod, key) : readZod(key)
    known.set(key, value)
    return value
  },
})
