/**
 * Replaces zod in the hook's bundle, which must start fast. It supports the few schemas of the work
 * state and validates like zod; other schemas of the contract are never used there. Any other use
 * throws, so that a hook that needs more fails visibly instead of accepting everything.
 */
type Check = (value: unknown) => boolean

interface Issue {
  code: 'custom'
  path: []
  message: string
}
type Parsed =
  | { success: true; data: unknown }
  | { success: false; data?: undefined; error: { issues: Issue[] } }

interface Shape {
  check: Check
  safeParse: (value: unknown) => Parsed
  optional: () => Shape
  nonnegative: () => Shape
  positive: () => Shape
  min: (least: number) => Shape
  max: (most: number) => Shape
  meta: () => Shape
  transform: (change: (value: unknown) => unknown) => Shape
}

const shapeOf = (
  check: Check,
  message = 'it has another form',
  change: (value: unknown) => unknown = (value) => value,
): Shape => {
  const narrow = (more: Check) => shapeOf((value) => check(value) && more(value), message, change)
  const shape: Shape = {
    check,
    safeParse: (value) =>
      check(value)
        ? { success: true, data: change(value) }
        : { success: false, error: { issues: [{ code: 'custom', path: [], message }] } },
    optional: () => shapeOf((value) => value === undefined || check(value), message, change),
    nonnegative: () => narrow((value) => Number(value) >= 0),
    positive: () => narrow((value) => Number(value) > 0),
    min: (least) => narrow((value) => sizeOf(value) >= least),
    max: (most) => narrow((value) => sizeOf(value) <= most),
    meta: () => shape,
    transform: (next) => shapeOf(check, message, (value) => next(change(value))),
  }
  return new Proxy(shape, {
    get: (known, key) => (key in known ? Reflect.get(known, key) : declared()),
  })
}

const sizeOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : Number(value)

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const KINDS = {
  custom: (check: Check, message?: string) => shapeOf(check, message),
  string: () => shapeOf((value) => typeof value === 'string'),
  number: () => shapeOf(Number.isFinite),
  int: () => shapeOf(Number.isSafeInteger),
  enum: (words: unknown) => shapeOf((value) => Array.isArray(words) && words.includes(value)),
  array: (item: Shape) =>
    shapeOf((value) => Array.isArray(value) && value.every((each) => item.check(each))),
  looseObject: (fields: Readonly<Record<string, Shape>>) =>
    shapeOf(
      (value) =>
        isJsonObject(value) &&
        Object.entries(fields).every(([key, field]) => field.check(value[key])),
    ),
}

const USES: ReadonlySet<PropertyKey> = new Set(['check', 'parse', 'safeParse', 'decode'])

/** A schema that the hook does not use: it can only be declared. */
const declared = (): unknown =>
  new Proxy(() => undefined, {
    apply: () => declared(),
    get: (_target, key) => {
      if (USES.has(key)) throw new Error(`the hook knows no such shape (${String(key)} of it)`)
      return declared()
    },
  })

export const z: Readonly<Record<string, unknown>> & typeof KINDS = new Proxy(KINDS, {
  get: (kinds, key) => (Object.hasOwn(kinds, key) ? Reflect.get(kinds, key) : declared()),
})
