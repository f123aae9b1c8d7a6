import { join } from 'node:path'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type BuiltEdge, startBuiltEdge } from './testing/start-built-edge.ts'
import { START_LIMIT_MS } from './testing/start-workers.ts'

/** Makes a value that JSON does not keep as it is from a description that JSON keeps. */
const MAKE = `
const own = (entries, target = {}) => {
  for (const [name, value] of entries) {
    Object.defineProperty(target, name, { value: make(value), enumerable: true, configurable: true, writable: true })
  }
  return target
}
class Point { constructor(x) { this.x = x } get shown() { return 'a getter' } }
const make = ({ kind, of }) => {
  switch (kind) {
    case 'plain': return of
    case 'number': return Number(of)
    case 'units': return String.fromCharCode(...of)
    case 'date': return new Date(Number(of))
    case 'map': return new Map(of.map((each, n) => [n, make(each)]))
    case 'set': return new Set(of.map(make))
    case 'bytes': return new Uint8Array(of)
    case 'floats': return new Float64Array(of)
    case 'buffer': return new Uint8Array(of).buffer
    case 'undefined': return undefined
    case 'function': return () => of
    case 'symbol': return Symbol(of)
    case 'boxed': return new String(of)
    case 'error': return new Error(of)
    case 'pattern': return /a+/g
    case 'instance': return new Point(make(of))
    case 'toJSON': return { toJSON: () => make(of), hidden: 1 }
    case 'bare': return own(of, Object.create(null))
    case 'list': return of.map(make)
    case 'sparse': { const list = []; list[of.length] = 1; return list }
    case 'fields': return own(of)
    case 'deep': { let value = 1; for (let n = 0; n < of; n++) value = n % 2 ? [value] : { value }; return value }
    case 'bigint': return 10n ** 20n
    case 'cycle': { const value = {}; value.value = value; return value }
    case 'throws': return { get it() { throw new Error('no value') } }
  }
}
`
const ACTIONS = {
  A_MAKE_VALUES: {
    module: `${MAKE}\nexport const execute = ({ values, name }) => own([[name, { kind: 'list', of: values }]])`,
  },
  A_LOOK_AT: {
    module: `const nameOf = (value) => Object.prototype.toString.call(value) + (Object.is(value, -0) ? ' minus' : '')
const types = (value) => typeof value === 'object' && value !== null ? [nameOf(value), ...Object.getOwnPropertyNames(value).map((name) => types(value[name]))] : nameOf(value)
export const execute = (input) => ({ seen: JSON.stringify(input), names: Object.keys(input).map((name) => JSON.stringify(name)), types: JSON.stringify(types(input)) })`,
  },
}

let home: TemporaryHome
let steward: LocalRuntime
let edge: BuiltEdge

beforeAll(async () => {
  home = createTemporaryHome()
  for (const [name, { module }] of Object.entries(ACTIONS)) {
    home.action(name, 'return {}')
    home.write(`USER/ACTIONS/${name}/action.ts`, module)
  }
  home.pipeline('P_LOOK_AT', Object.keys(ACTIONS))
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, PATH: process.env.PATH },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
  })
  edge = await startBuiltEdge(ACTIONS, { P_LOOK_AT: Object.keys(ACTIONS) })
}, START_LIMIT_MS)

afterAll(async () => {
  await edge?.stop()
  await steward?.close()
  home?.remove()
})

const onThisMachine = async (input: Record<string, unknown>) => {
  const { result } = await steward.runner.run('P_LOOK_AT', input)
  return 'output' in result ? { output: result.output } : { code: result.error.code }
}

const onTheEdge = async (input: Record<string, unknown>) => {
  const { body } = await edge.post('P_LOOK_AT', input)
  const { success, output, code } = Object(body)
  return success === true ? { output } : { code }
}

interface Description {
  kind: string
  of?: unknown
}

const fieldName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '', '1', '\ud800', '🙂', 'a b'),
  fc.string({ unit: 'binary' }),
)

const { value: description } = fc.letrec<{ value: Description }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('plain'), of: fc.jsonValue() }),
    fc.record({
      kind: fc.constant('number'),
      of: fc.oneof(
        fc.double().map((n) => (Object.is(n, -0) ? '-0' : String(n))),
        fc.constantFrom('NaN', 'Infinity', '-Infinity', '-0', '9007199254740993', '5e-324'),
      ),
    }),
    fc.record({
      kind: fc.constant('units'),
      of: fc.array(fc.oneof(fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0xffff))),
    }),
    fc.record({
      kind: fc.constant('date'),
      of: fc.constantFrom('0', 'NaN', '8640000000000000', '-62198755200000', '1.5'),
    }),
    fc.record({
      kind: fc.constantFrom('bytes', 'floats', 'buffer'),
      of: fc.array(fc.nat(255), { maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constantFrom('function', 'symbol', 'boxed', 'error'),
      of: fc.string({ unit: 'binary' }),
    }),
    fc.record({ kind: fc.constantFrom('undefined', 'pattern') }),
    fc.record({ kind: fc.constant('sparse'), of: fc.array(fc.constant(0), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('deep'), of: fc.nat(50) }),
    fc.record({ kind: fc.constantFrom('instance', 'toJSON'), of: tie('value') }),
    fc.record({
      kind: fc.constantFrom('map', 'set', 'list'),
      of: fc.array(tie('value'), { maxLength: 4 }),
    }),
    fc.record({
      kind: fc.constantFrom('fields', 'bare'),
      of: fc.uniqueArray(fc.tuple(fieldName, tie('value')), {
        maxLength: 4,
        selector: ([name]) => name,
      }),
    }),
  ),
}))

describe('a step sees the same input on this machine and on the edge', () => {
  it('byte by byte, whatever the step before returned', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(description, { minLength: 1, maxLength: 20 }),
        fieldName.filter((name) => !['values', 'name'].includes(name)),
        async (values, name) => {
          const input = { values, name }
          const here = await onThisMachine(input)
          expect(here).toHaveProperty('output.seen')
          expect(JSON.stringify(await onTheEdge(input))).toBe(JSON.stringify(here))
        },
      ),
      { numRuns: 40 },
    )
  }, 120_000)

  it.each<Description>([
    { kind: 'bigint' },
    { kind: 'cycle' },
    { kind: 'throws' },
    { kind: 'deep', of: 96 },
    { kind: 'deep', of: 97 },
    { kind: 'deep', of: 98 },
    { kind: 'deep', of: 99 },
    { kind: 'deep', of: 2000 },
    { kind: 'deep', of: 20_000 },
  ])('or the same error: $kind $of', async (value) => {
    const input = { values: [value], name: 'value' }
    expect(await onTheEdge(input)).toEqual(await onThisMachine(input))
  })
})
