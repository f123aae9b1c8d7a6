import {
  type BuiltInType,
  fail,
  ok,
  type Result,
  type RouteRule,
  type RoutingTable,
  StewardError,
} from '@steward/contract'
import { readBuiltInRules, readBuiltInTypes } from './built-in-table.ts'
import { parseTable } from './parse-table.ts'

/** A rule with its level; a rule without one comes first, because it is the user's own. */
export interface PlacedRule extends RouteRule {
  level: number
}

/** The active routing table: the built-in one, or that with the user's changes. */
export interface Routing {
  types: readonly BuiltInType[]
  words: Readonly<Record<string, readonly string[]>>
  rules: readonly PlacedRule[]
}

/** After custom agents and the mandatory audit, before all other built-in rules. */
const USER_LEVEL = 15

/**
 * The routing table with the user's `routing.yaml` applied: names by role, words added to sets,
 * types and rules replaced by name or id, otherwise added.
 */
export const openRouting = (text?: string, file = 'USER/AGENTS/routing.yaml'): Result<Routing> => {
  if (text === undefined) return ok(DEFAULT_ROUTING)
  const parsed = parseTable(text, file)
  if (!parsed.ok) return parsed
  return checkRouting(merge(DEFAULT_ROUTING, parsed.value), file)
}

const merge = (base: Routing, user: RoutingTable): Routing => {
  const renamed = new Map<string, string>()
  const named = base.types.map((type) => {
    const name = type.role === undefined ? undefined : user.names[type.role]
    if (name === undefined) return type
    renamed.set(type.name, name)
    return { ...type, name }
  })
  const types = [...replaceBy(named, user.types, ({ name }) => name)]
  const words = new Map(Object.entries(base.words))
  for (const [set, more] of Object.entries(user.words)) {
    words.set(set, [...(words.get(set) ?? []), ...more])
  }
  const levels = new Map(base.rules.map(({ id, level }) => [id, level]))
  const own = user.rules.map((rule) => ({
    ...rule,
    level: rule.level ?? levels.get(rule.id) ?? USER_LEVEL,
  }))
  const rules = replaceBy(base.rules, own, ({ id }) => id)
    .filter(({ off }) => !off)
    .map((rule) => {
      const type = renamed.get(rule.answer.type ?? '')
      return type === undefined ? rule : { ...rule, answer: { ...rule.answer, type } }
    })
  return { types, words: Object.fromEntries(words), rules }
}

/**
 * Entries of `over` replace those with the same key; new ones come first, so that they win ties.
 */
const replaceBy = <T>(base: readonly T[], over: readonly T[], keyOf: (each: T) => string): T[] => {
  const known = new Set(base.map(keyOf))
  const fresh = over.filter((each) => !known.has(keyOf(each)))
  const changed = new Map(over.map((each) => [keyOf(each), each]))
  return [...fresh, ...base.map((each) => changed.get(keyOf(each)) ?? each)]
}

/** A rule must refer to existing types and word sets. */
const checkRouting = (routing: Routing, file: string): Result<Routing> => {
  const refuse = (reason: string) => fail(new StewardError('invalid_definition', { file, reason }))
  const names = new Set(routing.types.map(({ name }) => name))
  for (const { id, answer, when, with: also, unless } of routing.rules) {
    if (answer.type !== null && !names.has(answer.type)) {
      return refuse(`rule ${id}: there is no type ${answer.type}; add it under types`)
    }
    for (const phrase of [...when, ...also, ...unless]) {
      const missing = [...phrase.matchAll(/\{([^}]*)\}/g)].find(
        ([, set]) => !Object.hasOwn(routing.words, set ?? ''),
      )
      if (missing) return refuse(`rule ${id}: there is no word set ${missing[0]} under words`)
    }
    if (answer.system === 'custom' && answer.type !== 'general-purpose') {
      return refuse(`rule ${id}: custom agents run as general-purpose, never as ${answer.type}`)
    }
  }
  return ok(routing)
}

let types: Routing['types'] | undefined
let rest: Pick<Routing, 'words' | 'rules'> | undefined

const readRest = (): Pick<Routing, 'words' | 'rules'> => {
  if (rest !== undefined) return rest
  const { words, rules } = readBuiltInRules()
  rest = { words, rules: rules.map((rule) => ({ ...rule, level: rule.level ?? USER_LEVEL })) }
  return rest
}

/**
 * The built-in table: the subagent types of spec 3, including deprecated ones, with its words and
 * rules. Each part is read on first use, so that commands and hooks that never route do not wait
 * for it.
 */
export const DEFAULT_ROUTING: Routing = {
  get types() {
    types ??= readBuiltInTypes()
    return types
  },
  get words() {
    return readRest().words
  },
  get rules() {
    return readRest().rules
  },
}
