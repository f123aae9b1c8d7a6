import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import {
  fail,
  type JsonObject,
  LIMITS,
  ok,
  type Result,
  reasonOf,
  StewardError,
  typeOf,
} from '@steward/contract'

/** A compiled CEL expression. */
export interface Condition {
  /** The fields that it reads. */
  fields: readonly string[]
  /** Throws if a field is missing or the value is neither true nor false. */
  test: (scope: JsonObject) => boolean
}

/** The name under which an expression sees all fields, for `has(fields.x)` and reserved words. */
const ALL_FIELDS = 'fields'

/**
 * Compiles an expression. Its work is bounded: few nodes, no regular expressions, no loop inside a
 * loop, and loops only over fields of a limited size.
 */
export const compileCondition = (expression: string, key = 'when'): Result<Condition> => {
  const subject = `${key}: ${expression}`
  const wrong = (reason: string) => fail(new StewardError('invalid_input', { subject, reason }))
  try {
    environment ??= createEnvironment()
    const parsed = environment.parse(expression)
    const checked = parsed.check()
    if (!checked.valid) return wrong(summaryOf(checked.error))
    if (checked.type !== 'bool' && checked.type !== 'dyn') {
      return wrong(`must be true or false, found ${checked.type}`)
    }
    const use: Use = { fields: new Set(), scans: false, refused: undefined }
    readUse(parsed.ast, new Set(), 0, use)
    if (use.refused !== undefined) return wrong(use.refused)
    const fields = [...use.fields]
    const test = (scope: JsonObject): boolean => {
      if (use.scans) checkSize(subject, fields, scope)
      const value = evaluate(subject, () => parsed(toContext(scope)))
      if (typeof value === 'boolean') return value
      const reason = `must be true or false, found ${typeOf(value)}`
      throw new StewardError('invalid_input', { subject, reason })
    }
    return ok({ fields, test })
  } catch (thrown) {
    return wrong(summaryOf(thrown))
  }
}

/** Made for the first condition, because most programs have none. */
let environment: Environment | undefined

const createEnvironment = (): Environment => {
  const made = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: 200,
      maxDepth: 24,
      maxListElements: 100,
      maxMapEntries: 20,
      maxCallArguments: 5,
    },
  })
  // JSON has one kind of number, so that `rating + 1` must not depend on how it is written.
  const operators: Record<string, (a: number, b: number) => number> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
    '%': (a, b) => a % b,
  }
  for (const [sign, compute] of Object.entries(operators)) {
    made.registerOperator(`double ${sign} int: double`, (a, b) => compute(Number(a), Number(b)))
    made.registerOperator(`int ${sign} double: double`, (a, b) => compute(Number(a), Number(b)))
  }
  made.registerOperator('double % double: double', (a, b) => Number(a) % Number(b))
  return made
}

interface Use {
  fields: Set<string>
  /** Whether it loops over a list. */
  scans: boolean
  refused: string | undefined
}

const LOOPS = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])
const TYPES = new Set(
  'int uint double string bool bytes list map null_type type dyn timestamp duration cel optional google'.split(
    ' ',
  ),
)

/** Collects the fields that an expression reads, and refuses what could run too long. */
const readUse = (node: ASTNode, bound: ReadonlySet<string>, loops: number, use: Use): void => {
  const inner = (children: readonly ASTNode[], names = bound, depth = loops) => {
    for (const child of children) readUse(child, names, depth, use)
  }
  switch (node.op) {
    case 'value':
      return
    case 'id':
      if (!bound.has(node.args) && !TYPES.has(node.args) && node.args !== ALL_FIELDS) {
        use.fields.add(node.args)
      }
      return
    case '.':
    case '.?': {
      const [from, name] = node.args
      if (from.op === 'id' && from.args === ALL_FIELDS && !bound.has(ALL_FIELDS)) {
        use.fields.add(name)
      } else inner([from])
      return
    }
    case 'call':
      inner(node.args[1])
      return
    case 'rcall': {
      const [name, receiver, values] = node.args
      if (name === 'matches') {
        use.refused ??= 'matches is not available; use contains, startsWith or endsWith'
      }
      if (receiver.op === 'id' && receiver.args === 'cel') {
        use.refused ??= `cel.${name} is not available`
      }
      if (!LOOPS.has(name)) {
        inner([receiver, ...values])
        return
      }
      use.scans = true
      if (loops > 0) use.refused ??= `${name} inside another loop is not available`
      const [variable, ...bodies] = values
      inner([receiver])
      const names = variable?.op === 'id' ? new Set([...bound, variable.args]) : bound
      inner(bodies, names, loops + 1)
      return
    }
    case 'list':
    case '?:':
      inner(node.args)
      return
    case 'map':
      inner(node.args.flat())
      return
    case '!_':
    case '-_':
      inner([node.args])
      return
    default:
      inner(node.args)
  }
}

/** Without a prototype, so that no name means a property of JavaScript. */
const toContext = (scope: JsonObject): JsonObject =>
  Object.assign(Object.create(null), scope, { [ALL_FIELDS]: scope })

const evaluate = (subject: string, run: () => unknown): unknown => {
  try {
    return run()
  } catch (thrown) {
    throw new StewardError('invalid_input', { subject, reason: summaryOf(thrown) }, thrown)
  }
}

/** A loop may search one long text for every element of a list, so both together are limited. */
const checkSize = (subject: string, fields: readonly string[], scope: JsonObject): void => {
  const chars = fields.reduce(
    (sum, field) =>
      sum + (Object.hasOwn(scope, field) ? (JSON.stringify(scope[field])?.length ?? 0) : 0),
    0,
  )
  if (chars <= LIMITS.conditionScanChars) return
  throw new StewardError('payload_too_large', {
    subject: `the fields of ${subject}`,
    bytes: chars,
    limit: LIMITS.conditionScanChars,
  })
}

const summaryOf = (thrown: unknown): string => {
  if (thrown instanceof Error && 'summary' in thrown && typeof thrown.summary === 'string') {
    const place =
      'range' in thrown && 'code' in thrown && thrown.code === 'unexpected_token'
        ? positionOf(thrown.range)
        : ''
    return `${thrown.summary.charAt(0).toLowerCase()}${thrown.summary.slice(1)}${place}`
  }
  return reasonOf(thrown)
}

const positionOf = (range: unknown): string =>
  typeof range === 'object' && range !== null && 'start' in range
    ? ` at character ${Number(range.start) + 1}`
    : ''
