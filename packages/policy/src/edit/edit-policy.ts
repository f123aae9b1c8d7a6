import {
  fail,
  ok,
  PATH_TIERS,
  PATTERN_SECTIONS,
  type PathTier,
  type PatternSection,
  type PolicyEdit,
  type Result,
  StewardError,
} from '@steward/contract'
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { checkPattern } from '../patterns/check-pattern.ts'
import { parsePolicy } from '../policy/parse-policy.ts'
import { STARTING_POLICY } from './starting-text.ts'

/**
 * The text of `PATTERNS.yaml` with one change made. Comments, order and the way things are written
 * stay; only the comment behind an entry goes with it. Without a file the built-in policy is the start.
 * A file that cannot be read as a policy is not changed.
 */
export const editPolicy = (
  text: string | undefined,
  edit: PolicyEdit,
  today: string,
): Result<string> => {
  const before = text ?? STARTING_POLICY
  const known = parsePolicy(before)
  if (!known.ok) return refuse('rejected_content', 'PATTERNS.yaml', known.error.details.reason)
  const document = parseDocument(before)
  try {
    if (!isMap(document.contents)) document.contents = new YAMLMap(document.schema)
    apply(document, edit)
    stampDate(document, today)
  } catch (thrown) {
    if (thrown instanceof StewardError) return fail(thrown)
    throw thrown
  }
  const written = document.toString({ lineWidth: 0, flowCollectionPadding: true })
  const after = before.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
  const checked = parsePolicy(after)
  if (!checked.ok) return refuse('invalid_input', 'the change', checked.error.details.reason)
  return ok(after)
}

const refuse = (
  code: 'invalid_input' | 'rejected_content',
  subject: string,
  reason: unknown,
): Result<never> => fail(new StewardError(code, { subject, reason }))

const apply = (document: Document, edit: PolicyEdit): void => {
  switch (edit.action) {
    case 'add_pattern':
      return addPattern(document, edit)
    case 'edit_pattern':
      return editPattern(document, edit)
    case 'remove_pattern': {
      const list = listAt(document, ['bash', edit.section])
      return removeAt(list, findPattern(list, edit.section, edit))
    }
    case 'add_path': {
      const list = listAt(document, ['paths', edit.tier])
      if (textsOf(list).includes(edit.path)) throw mistake('path', `${edit.path} is there already`)
      return addTo(list, new Scalar(checkPath(edit.path)))
    }
    case 'edit_path': {
      const list = listAt(document, ['paths', edit.tier])
      const node = list.items[checkIndex(list, edit.index, edit.tier)]
      forgetShadow(document, `paths.${edit.tier}: ${isScalar(node) ? node.value : ''}`)
      if (isScalar(node)) node.value = checkPath(edit.path)
      return
    }
    case 'remove_path': {
      const list = listAt(document, ['paths', edit.tier])
      const at = findPath(list, edit.tier, edit)
      forgetShadow(document, `paths.${edit.tier}: ${textsOf(list)[at]}`)
      return removeAt(list, at)
    }
    case 'set_shadow':
      return setShadow(document, edit.rule, edit.shadow)
  }
}

type Edit<Action extends PolicyEdit['action']> = Extract<PolicyEdit, { action: Action }>

const addPattern = (
  document: Document,
  { section, pattern, reason, shadow }: Edit<'add_pattern'>,
): void => {
  checkNewPattern(pattern)
  const list = listAt(document, ['bash', section])
  if (patternsOf(list).includes(pattern)) {
    throw mistake('pattern', `${pattern} is in bash.${section} already`)
  }
  const entry = new YAMLMap(document.schema)
  entry.set('pattern', quoted(pattern))
  entry.set('reason', new Scalar(reason))
  if (shadow === true) entry.set('shadow', true)
  entry.flow = list.items.length === 0 || list.items.some((item) => isMap(item) && item.flow)
  addTo(list, entry)
}

const editPattern = (
  document: Document,
  { section, index, pattern, reason }: Edit<'edit_pattern'>,
): void => {
  if (pattern === undefined && reason === undefined) {
    throw mistake('pattern', 'give a pattern, a reason, or both')
  }
  const list = listAt(document, ['bash', section])
  const entry = list.items[checkIndex(list, index, section)]
  if (!isMap(entry)) throw mistake('index', `bash.${section}[${index}] is no pattern`)
  if (pattern !== undefined) {
    checkNewPattern(pattern)
    const twin = patternsOf(list).indexOf(pattern)
    if (twin !== -1 && twin !== index) {
      throw mistake('pattern', `${pattern} is in bash.${section} already`)
    }
    forgetShadow(document, `bash.${section}: ${patternsOf(list)[index]}`)
    setScalar(entry, 'pattern', pattern)
  }
  if (reason !== undefined) setScalar(entry, 'reason', reason)
}

/** In the quotes that the old value had, where there was one. */
const setScalar = (entry: YAMLMap, key: string, value: string): void => {
  const node = entry.get(key, true)
  if (isScalar(node)) node.value = value
  else entry.set(key, quoted(value))
}

const setShadow = (document: Document, rule: string, shadow: boolean): void => {
  if (rule === '*') {
    if (shadow) document.set('shadow', true)
    else document.delete('shadow')
    return
  }
  if (document.get('shadow') === true) {
    throw mistake('rule', 'the whole policy is in shadow; take that back first, with the rule *')
  }
  const named = PATTERN_RULE.exec(rule)?.groups
  const section = PATTERN_SECTIONS.find((each) => each === named?.section)
  if (section !== undefined && named?.pattern !== undefined) {
    const list = listAt(document, ['bash', section])
    const entry = list.items[findPattern(list, section, { pattern: named.pattern })]
    if (!isMap(entry)) throw mistake('rule', `${rule} is no pattern`)
    forgetShadow(document, rule)
    if (shadow) entry.set('shadow', true)
    else entry.delete('shadow')
    return
  }
  if (!isSection(rule)) {
    const tier = PATH_TIERS.find((each) => rule.startsWith(`paths.${each}: `))
    if (tier === undefined) throw unknown(rule)
    const path = rule.slice(`paths.${tier}: `.length)
    findPath(listAt(document, ['paths', tier]), tier, { path })
  }
  forgetShadow(document, rule)
  if (shadow) addTo(listAt(document, ['shadow']), new Scalar(rule))
}

const PATTERN_RULE = /^bash\.(?<section>\w+): (?<pattern>[\s\S]+)$/

const isSection = (name: string): boolean =>
  PATTERN_SECTIONS.some((section) => name === `bash.${section}`) ||
  PATH_TIERS.some((tier) => name === `paths.${tier}`)

/** A rule that is no more has no shadow either; one that comes back must be as strong as it looks. */
const forgetShadow = (document: Document, rule: string): void => {
  const named = document.get('shadow', true)
  if (!isSeq(named)) return
  for (let at = textsOf(named).indexOf(rule); at !== -1; at = textsOf(named).indexOf(rule)) {
    removeAt(named, at)
  }
  if (named.items.length === 0) document.delete('shadow')
}

/** The list at a place; made where there is none. */
const listAt = (document: Document, path: readonly string[]): YAMLSeq => {
  const there = document.getIn(path, true)
  if (isSeq(there)) return there
  const list = new YAMLSeq(document.schema)
  const parent = path.slice(0, -1)
  if (parent.length > 0 && !isMap(document.getIn(parent, true))) {
    document.setIn(parent, new YAMLMap(document.schema))
  }
  document.setIn(path, list)
  return list
}

const addTo = (list: YAMLSeq, item: unknown): void => {
  // An empty list can only be written as `[]`; its first entry goes on a line of its own.
  if (list.items.length === 0) list.flow = false
  list.items.push(item)
}

/** Comments above an entry are about more than it, perhaps; they stay. */
const removeAt = (list: YAMLSeq, at: number): void => {
  const [removed] = list.items.splice(at, 1)
  const comment = isMap(removed) || isScalar(removed) ? removed.commentBefore : undefined
  if (comment === undefined || comment === null) return
  const next = list.items[at]
  if (isMap(next) || isScalar(next)) next.commentBefore = join(comment, next.commentBefore)
  else list.comment = join(list.comment, comment)
}

const join = (...comments: Array<string | null | undefined>): string =>
  comments.filter((each) => typeof each === 'string').join('\n')

interface Named {
  index?: number | undefined
}

const findPattern = (
  list: YAMLSeq,
  section: PatternSection,
  { index, pattern }: Named & { pattern?: string | undefined },
): number => findEntry(patternsOf(list), `bash.${section}`, list, index, pattern, 'pattern')

const findPath = (
  list: YAMLSeq,
  tier: PathTier,
  { index, path }: Named & { path?: string | undefined },
): number => findEntry(textsOf(list), `paths.${tier}`, list, index, path, 'path')

const findEntry = (
  entries: readonly unknown[],
  where: string,
  list: YAMLSeq,
  index: number | undefined,
  entry: string | undefined,
  field: string,
): number => {
  if (index === undefined && entry === undefined) throw mistake('index', `give index or ${field}`)
  if (index === undefined) {
    const at = entries.indexOf(entry)
    if (at === -1) throw unknown(`${where}: ${entry}`)
    return at
  }
  const at = checkIndex(list, index, where)
  if (entry === undefined || entries[at] === entry) return at
  throw mistake(field, `${where}[${index}] is ${entries[at]}, not ${entry}`)
}

const checkIndex = (list: YAMLSeq, index: number, where: string): number => {
  if (index < list.items.length) return index
  throw mistake('index', `${where} has ${list.items.length} entries; there is no ${index}`)
}

const patternsOf = (list: YAMLSeq): unknown[] =>
  list.items.map((item) => (isMap(item) ? item.get('pattern') : undefined))

const textsOf = (list: YAMLSeq): unknown[] =>
  list.items.map((item) => (isScalar(item) ? item.value : item))

const checkNewPattern = (pattern: string): void => {
  const checked = checkPattern(pattern)
  if (checked.ok) return
  throw new StewardError('invalid_input', { ...checked.error.details, field: 'pattern' })
}

/** A tier of everything would stop all work; nobody means that. */
const checkPath = (path: string): string => {
  if (/^!?(\*\*|\/)(\/\*{0,2})?$/.test(path))
    throw mistake('path', `${path} is every path there is`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (path.trim() !== path || /[\u0000-\u001f\u007f]/.test(path)) {
    throw mistake('path', 'it begins or ends with a space, or holds control characters')
  }
  return path
}

/** Regular expressions are full of what YAML takes for its own; single quotes leave all of it alone. */
const quoted = (text: string): Scalar => {
  const scalar = new Scalar(text)
  if (!/[\n\r\t\u0085\u2028\u2029]/.test(text)) scalar.type = Scalar.QUOTE_SINGLE
  return scalar
}

/** Behind `version`, where predecessors have it too. */
const stampDate = (document: Document, today: string): void => {
  if (document.has('last_updated')) {
    document.set('last_updated', today)
    return
  }
  if (!isMap(document.contents)) return
  const pair = document.createPair('last_updated', today)
  const { items } = document.contents
  const at = items.findIndex(({ key }) => isScalar(key) && key.value === 'version')
  document.contents.items.splice(at + 1, 0, pair)
}

const mistake = (field: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'the change', field, reason })

const unknown = (name: string): StewardError =>
  new StewardError('not_found', { what: 'rule', name })
